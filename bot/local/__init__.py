"""Stand-ins for the two hosted services, for a machine that has no key for them."""

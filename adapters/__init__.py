"""One package per chat platform; none knows another, and none touches memory or the model."""

"""Systems under test behind one small interface, and the bounded pool that asks them."""

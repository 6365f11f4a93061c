"""Who else can read, plant or swap what lies in a store."""

"""Language models: endpoints, the call store, limits, budget and replay."""

"""The dashboard: JSON API, pages, live updates, replay viewer. It reads, and decides nothing."""

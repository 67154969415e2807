"""The wire between referee and bots: stubs generated from proto/ (`v1`), and their codec."""

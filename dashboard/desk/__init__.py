"""What organisers do, once for the pages and the API: the steps of a season, its form, its view."""

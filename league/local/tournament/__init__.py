"""Many matches at home: what is played, how, where results are kept, and what they mean."""

"""Commands of an organiser: seasons, ladders, gates and the fleet, on the league's own store."""

"""The organiser's pages: seasons, drafts and ladders, their forms and steps."""

// Nothing is called here: see EmptyData.c.

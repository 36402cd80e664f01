"""defects.py - the whole list, in the order of the walk."""
import defects_files
import defects_judging
import defects_moving
import defects_peers
import defects_reading

ALL = (*defects_reading.LIST, *defects_judging.LIST, *defects_moving.LIST,
       *defects_files.LIST, *defects_peers.LIST)

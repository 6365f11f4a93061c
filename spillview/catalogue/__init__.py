"""Every artifact on this machine: found, counted, linked, ordered and kept."""

"""Jobs: a table with leases, worked through by child processes with limits on time and memory."""

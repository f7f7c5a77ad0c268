"""System `copy`: a decoder-only transformer with a copy head."""

"""From vibration recordings to health maps: order tracking, synchronous average, difference signal."""

"""What the formats share: decoding, containers, limits, refusals, and putting the text together."""

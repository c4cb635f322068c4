"""From records to numbers: scores, verdicts, labels, comparisons; nothing is drawn here."""

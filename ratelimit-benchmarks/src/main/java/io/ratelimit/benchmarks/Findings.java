package io.ratelimit.benchmarks;

import java.util.List;

/**
 * What one section found.
 *
 * @param how one paragraph: what was done, and with what parameters
 */
record Findings(String id, String title, String how, List<Row> rows, List<Chart> charts) {}

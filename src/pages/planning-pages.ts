/**
 * Pages that only the server with the duties answers, though their addresses look like those of
 * snapshots.
 */
export const PLANNING_PAGES: readonly string[] = ['/config/edit', '/config/new-pipeline']

/** All differences with three lines around them, as a page shows them that offers no choice. */
export const PLAIN = {
  context: 3,
  whitespace: 'keep',
  expanded: new Set<number>(),
  entity: '',
  start: 0,
} as const

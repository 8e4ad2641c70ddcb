/** All differences with three lines of context: the options of pages that offer no choice. */
export const PLAIN = {
  context: 3,
  whitespace: 'keep',
  expanded: new Set<number>(),
  entity: '',
  start: null,
} as const

import { bisect } from '../../lib/bisect.ts'
import { lineFeedsIn } from '../text/line-feeds.ts'
import type { FindMark, LineMark } from '../text/line-index.ts'
import type { ReadMember } from './member-finder.ts'

const FIRST: LineMark = { offset: 0, line: 0, start: 0 }

/**
 * Marks the lines at the ends of the members of a document, when one is first asked for. The lines of
 * a member are counted once, so that a large document costs its members and not its characters.
 */
export function marksOfMembers(text: string, members: readonly ReadMember[]): FindMark {
  let marks: readonly LineMark[] | null = null
  return (offset) => {
    marks ??= marksAfter(text, members)
    const count = bisect({ high: marks.length }, (n) => (marks?.[n]?.offset ?? 0) <= offset)
    return marks[count - 1] ?? FIRST
  }
}

function marksAfter(text: string, members: readonly ReadMember[]): readonly LineMark[] {
  let { offset, line, start } = FIRST
  return members.flatMap(({ element, place }) => {
    const between = lineFeedsIn(text, { start: offset, end: place.start })
    if (between.last >= 0) start = between.last + 1
    const beginning = { offset: place.start, line: line + between.count, start }
    const { count, last } = element.lineFeeds
    if (last >= 0) start = place.start + last + 1
    line = beginning.line + count
    offset = place.end
    return [beginning, { offset, line, start }]
  })
}

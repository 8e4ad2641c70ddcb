import type { Links } from '../kit/links.ts'
import { moreOf } from '../kit/lists.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import type { RightName, ShownRight } from '../work/permissions/permissions-table.ts'

export interface RightProps {
  readonly links: Links
  /** The revision that gives the right. */
  readonly revision: Pick<NumberedRevision, 'number'>
  readonly right: ShownRight
}

/** A right that nobody has given. */
export function Nothing({ word = 'nothing' }: { word?: string }) {
  return <span class="muted none">{word}</span>
}

/** A line of a revision. */
export function Line({
  links,
  revision,
  line,
  children,
}: Pick<RightProps, 'links' | 'revision'> & { line: number; children: string }) {
  return <a href={lineAddress(links, revision, line)}>{children}</a>
}

/** The rights as they follow from one another, with the letter of each. */
const MARKS = [
  ['view', 'V', 'badge mark'],
  ['operate', 'O', 'badge mark added'],
  ['administer', 'A', 'badge mark renamed'],
] as const satisfies readonly (readonly [right: RightName, letter: string, look: string])[]

interface MarksProps extends Pick<RightProps, 'links' | 'revision'> {
  readonly rights: readonly ShownRight[]
}

/** A mark for each right, at its place; it says the reason, and leads to the line. */
export function Marks({ links, revision, rights }: MarksProps) {
  return (
    <span class="marks">
      {MARKS.map(([name, letter, look]) => {
        const right = rights.find((each) => each.right === name)
        return (
          <span class={look}>
            {right && <Mark links={links} revision={revision} right={right} letter={letter} />}
          </span>
        )
      })}
    </span>
  )
}

function Mark({ links, revision, right: given, letter }: RightProps & { letter: string }) {
  const { right, reasons, more } = given
  const texts = reasons.map(({ text, line }) => (line === null ? text : `${text} (line ${line})`))
  const hint = `${right}: ${[...texts, ...(more > 0 ? [moreOf(more)] : [])].join(', ')}`
  const line = reasons.find((reason) => reason.line !== null)?.line ?? null
  return line === null ? (
    <span role="img" title={hint} aria-label={hint}>
      {letter}
    </span>
  ) : (
    <a href={lineAddress(links, revision, line)} title={hint} aria-label={hint}>
      {letter}
    </a>
  )
}

/** A mark with its word. */
export function WordedMark({ right }: { right: RightName }) {
  const [, letter, look] = MARKS.find(([name]) => name === right) ?? MARKS[0]
  return (
    <>
      <span class={look} aria-hidden="true">
        {letter}
      </span>
      {` ${right}`}
    </>
  )
}

/** The words of the marks. */
export function MarksLegend() {
  return (
    <span class="row">
      {MARKS.map(([right]) => (
        <span>
          <WordedMark right={right} />
        </span>
      ))}
    </span>
  )
}

/** `view: role crew in view of the group first (line 120)`. */
export function LongRight({ links, revision, right: { right, reasons, more } }: RightProps) {
  return (
    <>
      <b>{right}</b>
      {': '}
      <ReasonsInWords links={links} revision={revision} reasons={reasons} more={more} />
    </>
  )
}

/** `Administrator: user admin in admins of the server (line 12)`. */
export function EveryRight({ links, revision, right: { reasons, more } }: RightProps) {
  return (
    <>
      {'Administrator: '}
      <ReasonsInWords links={links} revision={revision} reasons={reasons} more={more} />
    </>
  )
}

/** The entries that give a right, each with its line. */
export function ReasonsInWords({
  links,
  revision,
  reasons,
  more,
}: Pick<RightProps, 'links' | 'revision'> & Pick<ShownRight, 'reasons' | 'more'>) {
  return (
    <>
      {reasons.map(({ text, line }, n) => (
        <>
          {n > 0 && ', '}
          {`${text} `}
          {line !== null && (
            <span class="place">
              {'('}
              <Line links={links} revision={revision} line={line}>{`line ${line}`}</Line>
              {')'}
            </span>
          )}
        </>
      ))}
      {more > 0 && `, ${more} more`}
    </>
  )
}

function lineAddress(
  links: Links,
  { number }: Pick<NumberedRevision, 'number'>,
  line: number,
): string {
  return `${links.snapshot(`r${number}`, { line })}#L${line}`
}

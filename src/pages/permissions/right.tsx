import type { Reason } from '../../security/permission-reasons.ts'
import type { Links } from '../kit/links.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import type { ShownRight } from '../work/permissions/permissions-table.ts'

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

/** `view 120`: the right and the lines that give it; the entries themselves are hints. */
export function ShortRight({ links, revision, right: { right, reasons, more } }: RightProps) {
  const [first, ...others] = reasons
  return (
    <>
      {first && (
        <ReasonLink links={links} revision={revision} reason={first}>
          {first.line === null ? right : `${right} ${first.line}`}
        </ReasonLink>
      )}
      {others.map((reason) => (
        <>
          {', '}
          <ReasonLink links={links} revision={revision} reason={reason}>
            {`${reason.line ?? right}`}
          </ReasonLink>
        </>
      ))}
      {more > 0 && <span class="muted">{`, ${more} more`}</span>}
    </>
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

/** `Everything: user admin in admins of the server (line 12)`. */
export function EveryRight({ links, revision, right: { reasons, more } }: RightProps) {
  return (
    <>
      {'Everything: '}
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

function ReasonLink({
  links,
  revision,
  reason: { text, line },
  children,
}: Pick<RightProps, 'links' | 'revision'> & { reason: Reason; children: string }) {
  const label = (
    <>
      {children}
      <span class="visually-hidden">{`, ${text}`}</span>
    </>
  )
  if (line === null) return <span title={text}>{label}</span>
  return (
    <a href={lineAddress(links, revision, line)} title={text}>
      {label}
    </a>
  )
}

function lineAddress(
  links: Links,
  { number }: Pick<NumberedRevision, 'number'>,
  line: number,
): string {
  return `${links.snapshot(`r${number}`, { line })}#L${line}`
}

import type { HeldUpChange, Replay } from '../../configuration/gate/replay/replay-rules.ts'
import { shownAuthor } from '../../core/revision.ts'
import { countOf } from '../kit/words/count.ts'
import type { OpenPage } from '../kit/layout.tsx'
import { someOf } from '../kit/lists.tsx'
import { Table } from '../kit/table.tsx'
import { When } from '../kit/when.tsx'

interface ReplayViewProps extends OpenPage {
  readonly replay: Replay
}

const COLUMNS = [{ label: 'Revision', isHead: true }, 'When', 'Who', 'What', 'Why']
const RULE_COLUMNS = [
  { label: 'Rule', isHead: true },
  'Would have held up',
  'Would have warned about',
  'Assumed to match',
]
const MAX_AUTHORS = 12

/** The changes of the past that rules would have held up: how many, by which rule, whose, and which. */
export function ReplayView({ frame, replay, now }: ReplayViewProps) {
  const { changes, heldUp, rules, authors, revisions, isWhole, from, skipped } = replay
  const names = authors.map(
    ({ username, heldUp: own }) => `${shownAuthor(username)} (${own.toLocaleString('en')})`,
  )
  return (
    <section class="card" aria-labelledby="replay" role="status">
      <h2 id="replay">{`Would have held up ${heldUp.toLocaleString('en')} of ${countOf(changes, 'change')}`}</h2>
      {names.length > 0 && <p>{`Changes by ${someOf(names, MAX_AUTHORS)}.`}</p>}
      {!isWhole && <p>{`Changes before r${from} were not tried, to limit the time.`}</p>}
      {skipped > 0 && (
        <p>{`${countOf(skipped, 'change')} could not be judged, because a document is unreadable or not valid today.`}</p>
      )}
      <Table
        label="Rules on history"
        columns={RULE_COLUMNS}
        rows={rules.map(({ name, heldUp: own, warned, assumed }) => ({
          cells: [
            <code>{name}</code>,
            own.toLocaleString('en'),
            warned.toLocaleString('en'),
            assumed.join(', '),
          ],
        }))}
        empty="The text has no rules."
      />
      {revisions.length > 0 && (
        <Table
          label="Changes that would have been held up"
          columns={COLUMNS}
          rows={revisions.map((each) => ({ cells: cellsOf(each, { frame, now }) }))}
        />
      )}
      {heldUp > revisions.length && revisions.length > 0 && (
        <p class="muted">{`Only the newest ${revisions.length} are listed. cairn rules test lists more.`}</p>
      )}
    </section>
  )
}

function cellsOf(
  { revision, number, objections }: HeldUpChange,
  { frame: { links }, now }: Pick<ReplayViewProps, 'frame' | 'now'>,
) {
  const { commit, time, username, subject } = revision
  return [
    <a href={links.snapshot(commit)}>{`r${number}`}</a>,
    <When time={time} now={now} />,
    shownAuthor(username),
    subject,
    [...new Set(objections.map(({ sentence }) => sentence))].join('; '),
  ]
}

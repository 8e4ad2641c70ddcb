import type { HtmlEscapedString } from 'hono/utils/html'
import type { PlainSecrets } from '../../configuration/read/plain-secret-alarm.ts'
import { PlainSecretsCard } from '../parts/plain-secrets.tsx'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import type { Comparison } from '../code/comparison.ts'
import type { ShownChanges } from '../code/shown-changes.ts'
import { type Html, LaterPart, renderInTurns } from '../frame/page-response.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import type { RevealCount } from '../snapshot/reveal-secrets.ts'
import { LineCounts } from '../history/history-table.tsx'
import { ChangeWords, Headline } from '../parts/change-words.tsx'
import { TagBadges, TagForm, TagLine } from '../parts/revision-tags.tsx'
import { Who } from '../parts/who.tsx'
import { someOf } from '../kit/lists.tsx'
import { LinkButton } from '../kit/buttons.tsx'
import type { Query } from '../kit/links.ts'
import { countOf } from '../kit/words/count.ts'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import { Icon } from '../kit/icon.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { dateOf, Moment } from '../kit/when.tsx'
import { RevealButton, RevealedNotice } from '../snapshot/secrets.tsx'
import { CompareCommands, RangeCard, Chooser } from './range-card.tsx'
import { type CompareQuery, compareQueryOf } from '../code/compare-query.ts'
import { DiffPages } from '../code/diff-pages.tsx'
import { HunkView, HunkLinks } from '../code/hunk.tsx'
import { type ComparedMerge, MergeNote } from './merge-note.tsx'
import { LaterSummaryCard, SummaryCard } from './summary-card.tsx'
import { Toolbar } from '../code/toolbar.tsx'

/** A side of the comparison that has secrets in plain text, with the prefix of the anchors of its lines. */
export interface Leak {
  readonly side: 'L' | 'R'
  readonly revision: NumberedRevision
  readonly secrets: PlainSecrets
}

export interface CompareViewProps extends OpenPageWithMessage {
  readonly comparison: Comparison
  /** The described changes, null when too much differs; or `later`, when they follow the text. */
  readonly summary: ShownChanges | null | 'later'
  readonly query: CompareQuery
  /** The merge that the comparison is about, or null. */
  readonly merge: ComparedMerge | null
  /** The names of the revisions as given in the address. */
  readonly from: string
  readonly to: string
  readonly fileName: string
  readonly origin: string
  /** The revisions of the two that have secrets in plain text. */
  readonly leaks: readonly Leak[]
  /** The count of decrypted secrets; null where secrets are hidden. */
  readonly reveal: RevealCount | null
  /** Whether tags are shown: not on a page that stays for ever, as tags do not. */
  readonly hasTags: boolean
}

/** Two revisions: the described changes, who made them and when, and the text. Long parts are rendered in turns. */
export async function renderComparePage(props: CompareViewProps): Promise<Html> {
  const { frame, comparison, query, from, to } = props
  const hunks = comparison.regions.map((region) => () => (
    <HunkView region={region} query={query} address={addressIn(props)}>
      <HunkLinks frame={frame} region={region} from={from} to={to} />
    </HunkView>
  ))
  const [card, ...text] = await renderInTurns([() => <ChangesInWords {...props} />, ...hunks])
  return <CompareView {...props} card={card} text={text} />
}

interface RenderedParts {
  /** The card of the changes in words. */
  readonly card: HtmlEscapedString | undefined
  readonly text: readonly HtmlEscapedString[]
}

function ChangesInWords(props: CompareViewProps) {
  const { summary } = props
  if (summary === 'later') return <LaterSummaryCard {...props} />
  return <SummaryCard {...props} described={summary} place="above-text" />
}

/** The address of a comparison with other options. */
function addressIn({ frame, from, to }: CompareViewProps) {
  return (asked: CompareQuery) => frame.links.compare(from, to, compareQueryOf(asked))
}

function CompareView(props: CompareViewProps & RenderedParts) {
  const { frame, comparison, summary, query, flash, leaks, merge, reveal, card, text } = props
  const { before, after, regions } = comparison
  const { links } = frame
  const described = summary === 'later' ? null : summary
  const address = addressIn(props)
  return (
    <PageLayout
      frame={frame}
      title={titleOf(comparison)}
      description={descriptionOf(comparison, described)}
      section="history"
      wide
      styles={['code.css', 'compare.css']}
    >
      {flash && <FlashCard flash={flash} />}
      <Head {...props} />
      {merge && <MergeNote links={links} merge={merge} {...comparison} />}
      <div class={comparison.count > 1 ? 'columns uneven' : undefined}>
        {card}
        {comparison.count > 1 && <RangeCard {...props} />}
      </div>
      <State {...props} />
      {leaks.map(({ side, ...leak }) => (
        <PlainSecretsCard links={links} {...leak} lineOf={(line) => `#${side}${line}`} />
      ))}
      {reveal && <RevealedNotice links={links} count={reveal} back={address(query)} />}
      {regions.length > 0 && (
        <div class="diff-area" id="diff">
          <div class={query.isCompact ? 'diff box compact' : 'diff box'}>
            <Toolbar
              comparison={comparison}
              query={query}
              address={address}
              only={query.entity === '' ? null : frame.wordsOf(query.entity)}
              offersAgents={summary === 'later' || (described?.isAboutAgents ?? false)}
            >
              {reveal === null && hidesSecrets(comparison) && (
                <RevealButton
                  action={links.revealComparison(
                    before.commit,
                    after.commit,
                    compareQueryOf(query),
                  )}
                />
              )}
            </Toolbar>
            {text}
            <DiffPages comparison={comparison} query={query} address={address} />
          </div>
          <Ruler {...props} />
        </div>
      )}
      {summary === 'later' && <LaterPart />}
    </PageLayout>
  )
}

/** `r7 → r9, 3 Jun 2015 to 5 Jun 2015` */
function titleOf({ before, after }: Comparison): string {
  const [from, to] = [dateOf(before.time), dateOf(after.time)]
  return `r${before.number} → r${after.number}, ${from === to ? from : `${from} to ${to}`}`
}

/** Of a preview of a link: the first changes, and by whom. */
function descriptionOf({ people, lines }: Comparison, described: ShownChanges | null): string {
  const what = described?.first.map((change) => `${change.label} ${renderChange(change)}`) ?? []
  const left = (described?.count ?? 0) - what.length
  const sentences = left > 0 ? [...what, countOf(left, 'more change')] : what
  const summary = sentences.join('; ') || `+${lines.added} −${lines.removed} lines`
  return `${summary}${byPeople(people, ', by ')}`
}

function rangeTitle(count: number, people: readonly string[]): string {
  if (count === 0) return 'The same revision'
  return `${countOf(count, 'revision')}${byPeople(people, ' by ')}`
}

function byPeople(people: readonly string[], by: string): string {
  return people.length === 0 ? '' : `${by}${someOf(people, MAX_PEOPLE)}`
}

function Head(props: CompareViewProps) {
  const { frame, comparison, query, from, hasTags } = props
  const { links } = frame
  const { before, after, older, newer, count, people, lines, total } = comparison
  const options = optionsOf(query)
  const low = Math.min(before.number, after.number)
  const high = Math.max(before.number, after.number)
  const isStep = after.number === before.number + 1
  const back = links.historyAt(after.number, { a: `r${before.number}`, b: `r${after.number}` })
  return (
    <PageHead
      trail={[['← History', back, 'u']]}
      steps={{
        older: older && links.compare(`r${low - 1}`, `r${low}`, options),
        newer: newer && links.compare(`r${high}`, `r${high + 1}`, options),
      }}
      title={isStep ? <Headline revision={after} /> : rangeTitle(count, people)}
      name={
        <>
          {`r${before.number}`}
          {hasTags && <TagBadges revision={before} />}
          {` → r${after.number}`}
        </>
      }
      about={
        <span class="row">
          {isStep ? (
            <Who revision={after} />
          ) : (
            <span>
              <Moment time={before.time} /> → <Moment time={after.time} />
            </span>
          )}
          {isStep && <Moment time={after.time} />}
          {total > 0 && (
            <span>
              <LineCounts lines={lines} />
              {` lines in ${countOf(total, 'place')}`}
              {query.entity !== '' && ` of ${frame.wordsOf(query.entity)}`}
            </span>
          )}
        </span>
      }
      below={
        <>
          {isStep && <ChangeWords revision={after} links={links} isBelowHeadline />}
          {hasTags && <TagLine links={links} revision={after} from={from} />}
        </>
      }
      actions={
        <>
          {isStep && before.digest !== after.digest && (
            <LinkButton
              href={links.undo(`r${after.number}`)}
              label={`Undo r${after.number}…`}
              icon="undo"
            />
          )}
          <Chooser links={links} before={before} after={after} />
        </>
      }
      menu={<MoreActions {...props} />}
    />
  )
}

/** The most people that a title names. */
const MAX_PEOPLE = 3

function optionsOf(query: CompareQuery): Query {
  return compareQueryOf({ ...query, start: null, expanded: [], entity: '' })
}

function MoreActions(props: CompareViewProps) {
  const { frame, comparison, query, from, to, hasTags } = props
  const { links } = frame
  const { before, after } = comparison
  return (
    <>
      <a href={links.compare(to, from, optionsOf(query))}>Swap sides</a>
      <a href={links.patch(from, to)} download>
        <Icon name="download" /> Download patch
      </a>
      <button type="button" class="copy quiet with-script" data-copy={links.patch(from, to)}>
        <Icon name="copy" />
        Copy patch
      </button>
      {!before.isCurrent && (
        <a href={links.restore(`r${before.number}`)}>{`Restore r${before.number}…`}</a>
      )}
      <a href={links.revisionRuns(`r${after.number}`)}>{`Runs by r${after.number}`}</a>
      {hasTags && <TagForm links={links} revision={after} from={from} />}
      {comparison.count === 1 && <CompareCommands {...props} />}
    </>
  )
}

function hidesSecrets({ regions }: Comparison): boolean {
  const rows = regions.flatMap(({ blocks }) => blocks.flatMap((block) => block.rows))
  const cells = rows.flatMap(({ before, after }) => [before, after])
  return cells.some((cell) => cell?.pieces.some(({ isSecret }) => isSecret))
}

/** Lines belong to what they begin in: changes of an entity on a line that it shares are not among its lines. */
function whereElse(summary: CompareViewProps['summary'], entity: string): string {
  const [change] = summary === null || summary === 'later' ? [] : summary.first
  const line = (change?.after ?? change?.before)?.first
  if (line === undefined) return `Nothing differs in ${entity}. `
  return `The change of ${entity} is on line ${line}, which begins outside of it. `
}

/** Explains cases in which the text alone would be confusing. */
function State(props: CompareViewProps) {
  const { frame, comparison, summary, query, from, to } = props
  const { links, wordsOf } = frame
  const { before, after, isSpaceOnly, regions, differs } = comparison
  const swap = links.compare(to, from, compareQueryOf(query))
  const all = links.compare(
    from,
    to,
    compareQueryOf({ ...query, entity: '', start: null, withoutAgents: false }),
  )
  const withSpace = links.compare(from, to, compareQueryOf({ ...query, ignoresSpace: false }))
  if (before.commit === after.commit) {
    return <p class="card">Both sides are the same revision.</p>
  }
  if (before.digest === after.digest) {
    return (
      <p class="card">
        Both revisions have the same configuration, byte for byte. Only other files of the
        repository can differ, such as the <a href={links.rules()}>rules</a>.
      </p>
    )
  }
  return (
    <>
      {before.number > after.number && (
        <p class="card">
          {`Comparing backwards: r${before.number} is newer than r${after.number}. `}
          <a href={swap}>Swap sides</a>
        </p>
      )}
      {isSpaceOnly && (
        <p class="card">
          Only whitespace differs. <a href={withSpace}>Show it</a>
        </p>
      )}
      {!isSpaceOnly && differs && regions.length === 0 && (
        <p class="card">
          {query.entity === ''
            ? 'Only agents changed, and they are hidden. '
            : whereElse(summary, wordsOf(query.entity))}
          <a href={all}>Show all changes</a>
        </p>
      )}
    </>
  )
}

const HEIGHT = 1_000
const MIN_HEIGHT = 6

/**
 * An overview of all changes of the document, for pointers only: the toolbar has shortcuts for
 * keys.
 */
function Ruler({ frame: { links }, comparison, query, from, to }: CompareViewProps) {
  return (
    <div class="ruler" aria-hidden="true">
      <svg viewBox={`0 0 10 ${HEIGHT}`} preserveAspectRatio="none">
        {comparison.marks.map(({ number, start, at, size, kind }) => {
          const page =
            start === comparison.part.start
              ? ''
              : links.compare(from, to, compareQueryOf({ ...query, start }))
          const height = Math.max(MIN_HEIGHT, size * HEIGHT)
          const y = Math.min(at * HEIGHT, HEIGHT - height)
          return (
            <a href={`${page}#c${number}`} tabindex={-1}>
              <Mark kind={kind} y={y} height={height} />
            </a>
          )
        })}
      </svg>
    </div>
  )
}

function Mark({ kind, y, height }: { kind: string; y: number; height: number }) {
  const place = { y: y.toFixed(1), height: height.toFixed(1) }
  if (kind === 'added') return <rect class="ins" x="0" width="10" {...place} />
  if (kind === 'removed') return <rect class="del" x="0" width="10" {...place} />
  return (
    <>
      <rect class="del" x="0" width="5" {...place} />
      <rect class="ins" x="5" width="5" {...place} />
    </>
  )
}

import type { EntityPlace } from '../../document/edit/entity-edits.ts'
import type { EntityAddress } from '../revisions/entity-address.ts'
import type { EntityComparison } from './entity-comparison.ts'
import { ChangeItems } from '../parts/change-list.tsx'
import { type CompareQuery, compareQueryOf } from '../code/compare-query.ts'
import { DiffPages } from '../code/diff-pages.tsx'
import { HunkView } from '../code/hunk.tsx'
import { Toolbar } from '../code/toolbar.tsx'
import { LineCounts } from '../history/history-table.tsx'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { LinkButton, LinkChoice } from '../kit/buttons.tsx'
import { ChangeWords } from '../parts/change-words.tsx'
import { countOf } from '../kit/words/count.ts'
import { PageHead } from '../kit/page-head.tsx'
import type { RevisionStep } from '../kit/links.ts'
import { Moment } from '../kit/when.tsx'
import { Who } from '../parts/who.tsx'
import { titleOf } from './entity-view.tsx'

export interface EntityCompareViewProps {
  readonly frame: PageFrame
  readonly address: EntityAddress
  readonly comparison: EntityComparison
  readonly query: CompareQuery
  /** Whether the page offers the difference as a patch. */
  readonly hasPatch: boolean
  /** Whether it can be compared as it runs. */
  readonly offersEffective: boolean
  /** The entity whose part of one revision the reader may undo, or propose to: a stage with its pipeline; null for none. */
  readonly undone: EntityPlace | null
}

/** One entity of the configuration in two revisions, without the rest of the documents. */
export function EntityCompareView(props: EntityCompareViewProps) {
  const { frame, address, comparison, query } = props
  const { before, after, regions, changes } = comparison
  const range = { from: `r${before.number}`, to: `r${after.number}` }
  const at = (asked: CompareQuery) =>
    frame.links.compareEntity(address, range, compareQueryOf(asked))
  return (
    <PageLayout
      frame={frame}
      title={`${titleOf(frame, address)}, r${before.number} → r${after.number}`}
      section="history"
      wide
      styles={['code.css', 'compare.css']}
    >
      <Head {...props} />
      <section class="card">
        <h2>{comparison.isEffective ? 'Changes of this pipeline itself' : 'Changes'}</h2>
        {changes.length === 0 ? (
          <p class="muted">No changes</p>
        ) : (
          <div class="changes">
            <ChangeItems changes={changes} />
          </div>
        )}
      </section>
      {regions.length > 0 && (
        <div class={query.isCompact ? 'diff box compact' : 'diff box'} id="diff">
          <Toolbar comparison={comparison} query={query} address={at} />
          {regions.map((region) => (
            <HunkView region={region} query={query} address={at} />
          ))}
          <DiffPages comparison={comparison} query={query} address={at} />
        </div>
      )}
    </PageLayout>
  )
}

function Head(props: EntityCompareViewProps) {
  const { frame, address, comparison, query, hasPatch, offersEffective, undone } = props
  const { links } = frame
  const { before, after, lines, older, newer, only } = comparison
  const range = { from: `r${before.number}`, to: `r${after.number}` }
  const swapped = { from: `r${after.number}`, to: `r${before.number}` }
  const options = compareQueryOf({ ...query, start: null, expanded: [] })
  const stepOf = (step: RevisionStep) => links.entityChange(address, step, options)
  return (
    <PageHead
      trail={[[`← History of this ${address.kind}`, links.entity(address.kind, address.name), 'u']]}
      steps={{ older: older && stepOf(older), newer: newer && stepOf(newer) }}
      title={titleOf(frame, address)}
      name={`r${before.number} → r${after.number}`}
      about={
        <span class="row">
          <Makers {...comparison} />
          <span>
            <LineCounts lines={lines} />
            {` lines of this ${address.kind}`}
          </span>
        </span>
      }
      below={only && <ChangeWords revision={only} links={null} />}
      actions={
        <>
          {undone !== null && (
            <LinkButton
              href={links.undoEntity(undone, range.to)}
              label={`Undo ${range.to} in ${frame.wordsOf(`${undone.kind}/${undone.name}`)}…`}
              icon="undo"
            />
          )}
          {offersEffective && (
            <LinkChoice
              label="Form"
              options={[false, true].map((isEffective) => [
                isEffective ? 'As it runs' : 'As written',
                links.compareEntity(address, range, compareQueryOf({ ...query, isEffective })),
                isEffective === comparison.isEffective,
              ])}
            />
          )}
        </>
      }
      menu={
        <>
          <a href={links.compareEntity(address, swapped, options)}>Swap sides</a>
          {hasPatch && (
            <a href={links.entityPatch(address, range)} download>
              Download patch
            </a>
          )}
        </>
      }
    />
  )
}

/** The author of the only change, or the time of several. */
function Makers({ before, after, between, only }: EntityComparison) {
  if (only !== null) {
    return (
      <>
        <Who revision={only} />
        <Moment time={only.time} />
      </>
    )
  }
  return (
    <span>
      {between > 1 && `${countOf(between, 'change')}, `}
      <Moment time={before.time} /> → <Moment time={after.time} />
    </span>
  )
}

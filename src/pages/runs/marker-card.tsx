import type { ConfigMarker } from './config-markers.ts'
import { ChangeItems } from '../parts/change-list.tsx'
import { ChangeHeadline, ChangeWords } from '../parts/change-words.tsx'
import { countOf } from '../kit/words/count.ts'
import type { PageFrame } from '../kit/layout.tsx'
import type { Links, RevisionStep } from '../kit/links.ts'
import { Moment } from '../kit/when.tsx'
import { Who } from '../parts/who.tsx'

/** The number of changes of one revision shown between runs. */
const SHOWN = 4

export interface MarkersProps {
  readonly frame: PageFrame
  readonly pipeline: string
  readonly markers: readonly ConfigMarker[]
  readonly more: number
}

/** The configuration changes between two runs: those of this pipeline, with their authors. */
export function Markers({ frame, pipeline, markers, more }: MarkersProps) {
  return (
    <>
      {markers.map((marker) => (
        <li class="step">
          <div class="card">
            <MarkerHead links={frame.links} pipeline={pipeline} marker={marker} />
            <MarkerChanges links={frame.links} pipeline={pipeline} marker={marker} />
            <ChangeWords revision={marker.revision} links={null} isBelowHeadline />
          </div>
        </li>
      ))}
      {more > 0 && (
        <li class="more">
          <a href={frame.links.entity('pipeline', pipeline)}>
            {countOf(more, 'more configuration change')}
          </a>
        </li>
      )}
    </>
  )
}

interface MarkerProps {
  readonly links: Links
  readonly pipeline: string
  readonly marker: ConfigMarker
}

function MarkerHead({ links, pipeline, marker }: MarkerProps) {
  const { revision } = marker
  return (
    <p class="row">
      <ChangeHeadline revision={revision} without="Configuration change" />{' '}
      <Who revision={revision} />{' '}
      <span class="muted">
        <Moment time={revision.time} />
      </span>{' '}
      {revision.base !== null && (
        <a href={diffOf(links, pipeline, revision)}>{`Diff r${revision.number}`}</a>
      )}
    </p>
  )
}

function MarkerChanges({ links, pipeline, marker: { changes, revision } }: MarkerProps) {
  const more = changes.length - SHOWN
  const { base } = revision
  return (
    <div class="changes">
      <ChangeItems changes={changes.slice(0, SHOWN)} />
      {more > 0 && base !== null && (
        <p class="more">
          <a href={diffOf(links, pipeline, revision)}>{`${more} more`}</a>
        </p>
      )}
      {more > 0 && base === null && <p class="muted">{`${more} more`}</p>}
    </div>
  )
}

/** The comparison of the pipeline before and after. */
function diffOf(links: Links, name: string, revision: RevisionStep): string {
  return links.entityChange({ kind: 'pipeline', name }, revision)
}

import type { ConfigMarker } from './config-markers.ts'
import { ChangeItems } from '../frame/change-list.tsx'
import type { PageFrame } from '../frame/layout.tsx'
import type { Links } from '../frame/links.ts'
import { When } from '../frame/when.tsx'
import { Who } from '../frame/who.tsx'

/** So many changes of one revision are shown between runs. */
const SHOWN = 4

export interface MarkersProps {
  readonly chrome: PageFrame
  readonly pipeline: string
  readonly markers: readonly ConfigMarker[]
  readonly more: number
  readonly now: number
}

/** The changes of the configuration between two runs: only those to this pipeline, with who made them. */
export function Markers({ chrome, pipeline, markers, more, now }: MarkersProps) {
  return (
    <>
      {markers.map((marker) => (
        <li class="marker">
          <div class="card">
            <MarkerHead links={chrome.links} pipeline={pipeline} marker={marker} now={now} />
            <MarkerChanges links={chrome.links} pipeline={pipeline} marker={marker} />
          </div>
        </li>
      ))}
      {more > 0 && (
        <li class="marker">
          <p class="more">
            <a href={chrome.links.entity('pipeline', pipeline)}>
              {`${more} more changes of the configuration`}
            </a>
          </p>
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

function MarkerHead({ links, pipeline, marker, now }: MarkerProps & { readonly now: number }) {
  const { revision } = marker
  const { number } = revision
  return (
    <p class="marker-head">
      <b>Config changed</b> <Who revision={revision} />{' '}
      <span class="muted">
        <When time={revision.time} now={now} />
      </span>{' '}
      {number > 1 && <a href={diffOf(links, pipeline, number)}>{`r${number} diff`}</a>}
    </p>
  )
}

function MarkerChanges({ links, pipeline, marker: { changes, revision } }: MarkerProps) {
  const more = changes.length - SHOWN
  const { number } = revision
  return (
    <div class="changes">
      <ChangeItems changes={changes.slice(0, SHOWN)} href={null} />
      {more > 0 && number > 1 && (
        <p class="more">
          <a href={diffOf(links, pipeline, number)}>{`${more} more`}</a>
        </p>
      )}
      {more > 0 && number === 1 && <p class="muted">{`${more} more`}</p>}
    </div>
  )
}

/** The pipeline alone, before and after. */
function diffOf(links: Links, name: string, number: number): string {
  const range = { from: `r${number - 1}`, to: `r${number}` }
  return links.compareEntity({ kind: 'pipeline', name }, range)
}

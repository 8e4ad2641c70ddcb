import type { Links } from '../kit/links.ts'
import { PIPELINE_STATES, type RunState } from './pipeline-state.ts'
import { nextTo, type StreamNode, type ValueStream } from './value-stream.ts'
import { groupBy } from '../../lib/grouping.ts'
import { Separated } from '../kit/lists.tsx'

const WIDTH = 176
const HEIGHT = 32
const COLUMN = WIDTH + 48
const ROW = HEIGHT + 12
/** Longer names are cut; the whole one is the title. */
const MAX_NAME = 20

const LOOKS: Readonly<Record<RunState, string>> = {
  failed: 'failed',
  building: 'busy',
  waiting: 'waiting',
  approval: 'waiting',
  cancelled: 'off',
  passed: 'good',
  'not-run': 'off',
}

interface Placed extends StreamNode {
  readonly x: number
  readonly y: number
}

/** The pipelines before and after one: those next to it as links, and all as a map. */
export function ValueStreamCard(props: {
  readonly links: Links
  readonly name: string
  readonly stream: ValueStream
}) {
  const { links, name, stream } = props
  const { before, after } = nextTo(stream, name)
  return (
    <section class="card" aria-labelledby="value-stream">
      <h2 id="value-stream">Value stream</h2>
      <p class="row">
        <Neighbours links={links} label="Built from" names={before} />
        <Neighbours links={links} label="Starts" names={after} />
      </p>
      <StreamMap {...props} />
      {stream.isCut && <p class="muted">Pipelines further away are not shown.</p>}
    </section>
  )
}

function Neighbours(props: { links: Links; label: string; names: readonly string[] }) {
  const { links, label, names } = props
  if (names.length === 0) return <></>
  return (
    <span>
      <span class="muted">{`${label} `}</span>
      <Separated items={names} of={(name) => <a href={links.pipeline(name)}>{name}</a>} />
    </span>
  )
}

function StreamMap({ links, name, stream }: { links: Links; name: string; stream: ValueStream }) {
  const placed = placesOf(stream.nodes)
  const byName = new Map(placed.map((node) => [node.name, node]))
  const width = Math.max(...placed.map(({ x }) => x)) + WIDTH + 2
  const height = Math.max(...placed.map(({ y }) => y)) + HEIGHT + 2
  return (
    <div class="scroll below" tabindex={0} role="region" aria-label="Map of pipelines">
      <svg class="stream" width={width} height={height} viewBox={`-1 -1 ${width} ${height}`}>
        {stream.edges.map(([from, to]) => (
          <Edge from={byName.get(from)} to={byName.get(to)} />
        ))}
        {placed.map((node) => (
          <a
            href={links.pipeline(node.name)}
            class={LOOKS[node.status]}
            aria-current={node.name === name ? 'true' : undefined}
          >
            <title>{`${node.name}: ${PIPELINE_STATES[node.status]}`}</title>
            <rect x={node.x} y={node.y} width={WIDTH} height={HEIGHT} rx="6" />
            <StateMark node={node} />
            <text x={node.x + 28} y={node.y + 21}>
              {shortened(node.name)}
            </text>
          </a>
        ))}
      </svg>
    </div>
  )
}

function StateMark({ node: { x, y, status } }: { node: Placed }) {
  if (status === 'failed') {
    return <rect class="mark" x={x + 10} y={y + 11} width="10" height="10" />
  }
  return <circle class="mark" cx={x + 15} cy={y + 16} r="5" />
}

function Edge({ from, to }: { from: Placed | undefined; to: Placed | undefined }) {
  if (!from || !to) return <></>
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2]
  const middle = (x1 + x2) / 2
  return <path d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} />
}

/** A column for each depth, from what comes first on; the columns are centred on each other. */
function placesOf(nodes: readonly StreamNode[]): readonly Placed[] {
  const first = Math.min(...nodes.map(({ depth }) => depth))
  const columns = groupBy(nodes, ({ depth }) => depth)
  const longest = Math.max(...Array.from(columns.values(), ({ length }) => length))
  return [...columns.values()].flatMap((column) =>
    column.map((node, n) => ({
      ...node,
      x: (node.depth - first) * COLUMN,
      y: (n + (longest - column.length) / 2) * ROW,
    })),
  )
}

function shortened(name: string): string {
  return name.length <= MAX_NAME ? name : `${name.slice(0, MAX_NAME - 1)}…`
}

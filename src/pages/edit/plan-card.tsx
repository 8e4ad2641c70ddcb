import type { Plan } from '../../builds/plan/plan-configuration.ts'
import { type Fact, Facts } from '../kit/facts.tsx'
import { FirstOf, someOf } from '../kit/lists.tsx'

/** Longer lists are cut. */
const MAX_ENTRIES = 20

/** The effects of a save besides its changes: runs, obstacles, entities and permissions. */
export function PlanCard({ plan }: { plan: Plan }) {
  const { starts, stops, obstacles, touches, permissions, willNotRun, verdict } = plan
  return (
    <section class="card">
      <h2>When saved</h2>
      <Facts
        facts={[
          ['Starts runs', starts.length === 0 ? 'None' : <Pipelines items={starts} />],
          stops.length === 0 ? null : ['Stops', <Pipelines items={stops} />],
          obstacles.length === 0 ? null : ['Blocked', <Pipelines items={obstacles} />],
          named('Pipelines', touches.pipelines),
          named('Running jobs affected', touches.jobsRunning),
          named('Environments', touches.environments),
          named('Agents', touches.agents),
          permissions.length === 0 ? null : ['Permissions', <Permissions items={permissions} />],
          verdict?.reason === undefined ? null : ['Not allowed', <Verdict verdict={verdict} />],
          willNotRun.length === 0 ? null : ['Unsupported', <Unsupported items={willNotRun} />],
        ]}
      />
    </section>
  )
}

function named(title: string, names: readonly string[]): Fact {
  return names.length === 0 ? null : [title, someOf(names, MAX_ENTRIES)]
}

function Pipelines({ items }: { items: Plan['starts' | 'stops' | 'obstacles'] }) {
  return (
    <FirstOf
      items={items}
      most={MAX_ENTRIES}
      of={({ pipeline, because }) => (
        <>
          <b>{pipeline}</b>: {because}
        </>
      )}
    />
  )
}

function Permissions({ items }: { items: Plan['permissions'] }) {
  return (
    <FirstOf
      items={items}
      most={MAX_ENTRIES}
      of={({ user, gains, loses }) => (
        <>
          <b>{user}</b>
          {gains.length > 0 && ` gains: ${someOf(gains, MAX_ENTRIES)}.`}
          {loses.length > 0 && ` loses: ${someOf(loses, MAX_ENTRIES)}.`}
        </>
      )}
    />
  )
}

/** The reason of the gate, and whose decisions would let the change pass. */
function Verdict({ verdict: { reason, needs } }: { verdict: NonNullable<Plan['verdict']> }) {
  return (
    <>
      {`${reason}.`}
      {needs.map(({ rule, of }) => ` ${rule} needs: ${someOf(of, MAX_ENTRIES)}.`)}
    </>
  )
}

function Unsupported({ items }: { items: Plan['willNotRun'] }) {
  return (
    <FirstOf
      items={items}
      most={MAX_ENTRIES}
      of={({ entity, at, what, because }) => (
        <>
          <b>{entity}</b>
          {` (line ${at.line}): ${what}: ${because}.`}
        </>
      )}
    />
  )
}

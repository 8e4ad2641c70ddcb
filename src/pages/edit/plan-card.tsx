import type { Plan } from '../../builds/plan/plan-configuration.ts'
import { capitalised } from '../../lib/texts.ts'
import { NEW_PIPELINE } from '../../builds/triggers/triggers.ts'
import { A_REASON } from '../../configuration/gate/rules/verdict.ts'
import { nameKey } from '../../core/name-key.ts'
import { type Fact, Facts } from '../kit/facts.tsx'
import { FirstOf, someOf } from '../kit/lists.tsx'
import { countOf } from '../kit/words/count.ts'
import { addToGroup } from '../../lib/grouping.ts'

/** Longer lists are cut. */
const MAX_ENTRIES = 20
/** The places of an unsupported part that are named. */
const MAX_PLACES = 5

/** The effects of a save besides its changes: runs, obstacles, entities and permissions. */
export function PlanCard({ plan }: { plan: Plan }) {
  const { starts, stops, obstacles, touches, permissions, verdict } = plan
  const unsupported = unsupportedIn(plan)
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
          named('Agents', agentsIn(plan)),
          permissions.length === 0 ? null : ['Permissions', <Permissions items={permissions} />],
          verdict?.reason === undefined
            ? null
            : [verdictTitle(plan), <Verdict verdict={verdict} />],
          unsupported.length === 0 ? null : ['Unsupported', <Unsupported items={unsupported} />],
        ]}
      />
    </section>
  )
}

type Step = 'save' | 'propose'

/** The look of the button of a step: the one that leads on stands out. */
export function lookOfStep(plan: Plan, step: Step): 'primary' | undefined {
  return nextStep(plan) === step ? 'primary' : undefined
}

/** The step that leads on from a preview; null where the change can be neither saved nor proposed. */
export function nextStep({ verdict }: Plan): Step | null {
  if (verdict === null || verdict.kind === 'allowed') return 'save'
  const missing = verdict.needs.flatMap(({ of }) => of)
  if (missing.length === 0) return null
  return missing.every((each) => each === A_REASON) ? 'save' : 'propose'
}

/** A change that only its own author holds up is not refused: it needs the reason that a save brings. */
function verdictTitle(plan: Plan): string {
  return nextStep(plan) === 'save' ? 'Needs' : 'Not allowed'
}

/** The agents by their names, as far as the changes say them. */
function agentsIn({ touches, changes }: Plan): readonly string[] {
  const labels = new Map(changes.map(({ entity, label }) => [entity, label]))
  return touches.agents.map((uuid) => labels.get(`agent/${uuid}`) ?? uuid)
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
          <b>{pipeline}</b>
          {because === NEW_PIPELINE ? ' (new pipeline)' : `: ${because}`}
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
          {gains.length > 0 && ` gains: ${inShort(gains)}.`}
          {loses.length > 0 && ` loses: ${inShort(loses)}.`}
        </>
      )}
    />
  )
}

/** Such as `view pipeline checkout`: what may be done, the kind, and the name. */
const PERMISSION = /^(\w+) (group|template|pipeline) (.+)$/

/** Such as `view and operate 8 pipelines: checkout, billing …`: what is alike is said once. */
function inShort(permissions: readonly string[]): string {
  const places = new Map<string, { kind: string; name: string; verbs: string[] }>()
  for (const permission of permissions) {
    const [, verb = permission, kind = '', name = ''] = PERMISSION.exec(permission) ?? []
    const place = places.get(`${kind} ${name}`) ?? { kind, name, verbs: [] }
    place.verbs.push(verb)
    places.set(`${kind} ${name}`, place)
  }
  const clauses = new Map<string, { doing: string; kind: string; names: string[] }>()
  for (const { kind, name, verbs } of places.values()) {
    const doing = verbs.join(' and ')
    const clause = clauses.get(`${doing} ${kind}`) ?? { doing, kind, names: [] }
    clause.names.push(name)
    clauses.set(`${doing} ${kind}`, clause)
  }
  return Array.from(clauses.values(), ({ doing, kind, names }) => {
    if (names.length === 1) return [doing, kind, ...names].join(' ').trim()
    return `${doing} ${countOf(names.length, kind)}: ${someOf(names, MAX_PLACES)}`
  }).join('; ')
}

/** The reason of the gate, and whose decisions would let the change pass where the reason does not say it. */
function Verdict({ verdict: { reason, needs } }: { verdict: NonNullable<Plan['verdict']> }) {
  return (
    <>
      {`${reason}.`}
      {needs
        .filter(({ of }) => !of.every((each) => reason?.includes(each)))
        .map(({ rule, of }) => ` ${rule} needs: ${someOf(of, MAX_ENTRIES)}.`)}
    </>
  )
}

/** A part that nobody here acts on, and the pipelines and other things that have it. */
interface UnsupportedPart {
  readonly what: string
  readonly places: readonly string[]
}

/** Each such part of what the save touches once; whatever stays as it is says nothing new. */
function unsupportedIn({ willNotRun, touches, changes }: Plan): readonly UnsupportedPart[] {
  const pipelines = touches.pipelines.map((name) => `pipeline/${name}`)
  const touched = new Set([...pipelines, ...changes.map(({ entity }) => entity)].map(nameKey))
  const parts = new Map<string, string[]>()
  for (const { entity, at, what, because } of willNotRun) {
    if (!touched.has(nameKey(entity))) continue
    addToGroup(parts, `${what}: ${because}`, `${entity.replace('/', ' ')} (line ${at.line})`)
  }
  return Array.from(parts, ([what, places]) => ({ what, places }))
}

function Unsupported({ items }: { items: readonly UnsupportedPart[] }) {
  return (
    <FirstOf
      items={items}
      most={MAX_ENTRIES}
      of={({ what, places }) => (
        <>
          {capitalised(what)}
          <span class="muted">{`: ${someOf(places, MAX_PLACES)}`}</span>
        </>
      )}
    />
  )
}

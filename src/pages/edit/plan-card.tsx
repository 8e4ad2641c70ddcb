import type { Child } from 'hono/jsx'
import type { Plan } from '../../builds/plan/plan-configuration.ts'

/** Of longer lists, the first entries. */
const MOST = 20

/** What a save would start, touch and permit, besides what it changes. */
export function PlanCard({ plan }: { plan: Plan }) {
  const { starts, obstacles, touches, permissions, willNotRun } = plan
  return (
    <section class="card plan">
      <h2>What a save does</h2>
      <dl>
        <dt>Starts</dt>
        <dd>
          {starts.length === 0 ? (
            'No runs'
          ) : (
            <List
              items={starts.map(({ pipeline, because }) => (
                <>
                  <b>{pipeline}</b>: {because}
                </>
              ))}
            />
          )}
        </dd>
        {obstacles.length > 0 && (
          <>
            <dt>But</dt>
            <dd>
              <List
                items={obstacles.map(({ pipeline, because }) => (
                  <>
                    <b>{pipeline}</b>: {because}
                  </>
                ))}
              />
            </dd>
          </>
        )}
        <Names title="Pipelines" names={touches.pipelines} />
        <Names title="Running jobs of these" names={touches.jobsRunning} />
        <Names title="Environments" names={touches.environments} />
        <Names title="Agents" names={touches.agents} />
        {permissions.length > 0 && (
          <>
            <dt>Permissions</dt>
            <dd>
              <List
                items={permissions.map(({ user, gains, loses }) => (
                  <>
                    <b>{user}</b>
                    {gains.length > 0 && ` gains: ${someOf(gains)}.`}
                    {loses.length > 0 && ` loses: ${someOf(loses)}.`}
                  </>
                ))}
              />
            </dd>
          </>
        )}
        {willNotRun.length > 0 && (
          <>
            <dt>Will not run here</dt>
            <dd>
              <List
                items={willNotRun.map(({ entity, at, what, because }) => (
                  <>
                    <b>{entity}</b>
                    {` (line ${at.line}): ${what}: ${because}.`}
                  </>
                ))}
              />
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}

function Names({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return <></>
  return (
    <>
      <dt>{title}</dt>
      <dd>{someOf(names)}</dd>
    </>
  )
}

function List({ items }: { items: readonly Child[] }) {
  const more = items.length - MOST
  return (
    <ul>
      {items.slice(0, MOST).map((item) => (
        <li>{item}</li>
      ))}
      {more > 0 && <li class="muted">{`and ${more} more`}</li>}
    </ul>
  )
}

function someOf(names: readonly string[]): string {
  const more = names.length - MOST
  const first = names.slice(0, MOST).join(', ')
  return more > 0 ? `${first} and ${more} more` : first
}

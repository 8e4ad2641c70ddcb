import type { AgentOutcome } from './act-on-agents.ts'
import type { Links } from '../frame/links.ts'

/** What became of each agent that was chosen. */
export function Outcomes({ links, outcomes }: { links: Links; outcomes: readonly AgentOutcome[] }) {
  if (outcomes.length === 0) return <></>
  return (
    <div class="card told" role="status">
      <ul class="outcomes">
        {outcomes.map(({ uuid, name, isDone, told }) => (
          <li class={isDone ? 'done' : 'refused'}>
            <span class={`badge ${isDone ? 'added' : 'removed'}`}>
              {isDone ? 'done' : 'not done'}
            </span>{' '}
            {told === 'is deleted' ? <b>{name}</b> : <a href={links.agent(uuid)}>{name}</a>}{' '}
            {`${told}.`}
          </li>
        ))}
      </ul>
    </div>
  )
}

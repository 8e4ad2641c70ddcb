import type { AgentOutcome } from './act-on-agents.ts'
import { setAsideText } from '../frame/flash-message.ts'
import type { Links } from '../kit/links.ts'
import { NEWS } from '../kit/notice.tsx'

/** The result of an action for each chosen agent. */
export function Outcomes({ links, outcomes }: { links: Links; outcomes: readonly AgentOutcome[] }) {
  if (outcomes.length === 0) return <></>
  return (
    <div
      class={`card flash ${outcomes.every(({ isDone }) => isDone) ? 'done' : 'refused'}`}
      {...NEWS}
    >
      <ul class="outcomes">
        {outcomes.map(({ uuid, name, isDone, result }) => (
          <li class={isDone ? 'done' : 'refused'}>
            <span class={`badge ${isDone ? 'added' : 'removed'}`}>
              {isDone ? 'done' : 'not done'}
            </span>{' '}
            {result === 'is deleted' ? <b>{name}</b> : <a href={links.agent(uuid)}>{name}</a>}{' '}
            {`${result}.`}
          </li>
        ))}
      </ul>
      {outcomes
        .flatMap(({ setAside }) => setAsideText(setAside))
        .map((text) => (
          <p>{text}</p>
        ))}
    </div>
  )
}

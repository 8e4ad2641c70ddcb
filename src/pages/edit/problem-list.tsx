import type { DraftProblem } from '../work/draft-examination.ts'

const MOST = 50

/** All problems that prevent a save, each with its line. */
export function ProblemList({ problems }: { problems: readonly DraftProblem[] }) {
  const more = problems.length - MOST
  return (
    <section class="card problems" role="alert">
      <h2>
        {problems.length === 1 ? '1 problem stops' : `${problems.length} problems stop`} this from
        being saved
      </h2>
      <ul>
        {problems.slice(0, MOST).map((problem) => (
          <li>
            <ProblemLine problem={problem} />
          </li>
        ))}
      </ul>
      {more > 0 && <p class="muted">{`and ${more} more`}</p>}
    </section>
  )
}

function ProblemLine({ problem: { line, typedLine, message } }: { problem: DraftProblem }) {
  const text = line === undefined ? message : `Line ${line}: ${message}`
  if (typedLine === null) return <>{text}</>
  return (
    <a href="#xml" data-line={String(typedLine)}>
      {text}
    </a>
  )
}

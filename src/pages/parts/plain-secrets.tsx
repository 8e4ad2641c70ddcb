import type { PlainSecrets } from '../../configuration/read/plain-secret-alarm.ts'
import { countOf } from '../kit/words/count.ts'
import { moreOf, Separated } from '../kit/lists.tsx'
import type { Links } from '../kit/links.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'

/** The most places that are named one by one. */
const MAX_PLACES = 5

export interface PlainSecretsCardProps {
  readonly links: Links
  readonly revision: NumberedRevision
  readonly secrets: PlainSecrets
  /** The address of a line of this revision. */
  readonly lineOf: (line: number) => string
}

/** The plain-text secrets of a commit, with their lines and advice. */
export function PlainSecretsCard({ links, revision, secrets, lineOf }: PlainSecretsCardProps) {
  const { acknowledgedBy } = secrets
  const places = secrets.secrets.flatMap(({ line }) => (line === undefined ? [] : [line]))
  const more = places.length - MAX_PLACES
  const [them, used] =
    secrets.secrets.length === 1 ? ['it', 'it is used'] : ['them', 'they are used']
  return (
    <div class={`card card-head ${acknowledgedBy === null ? 'bad' : 'stale'}`} role="note">
      <p>
        <strong>
          {`r${revision.number} contains ${countOf(secrets.secrets.length, 'plain-text secret')}`}
        </strong>
        {places.length > 0 && ': '}
        <Separated
          items={places.slice(0, MAX_PLACES)}
          of={(line) => <a href={lineOf(line)}>{`line ${line}`}</a>}
        />
        {more > 0 && ` and ${moreOf(more)}`}.{' '}
        {acknowledgedBy === null
          ? `Anyone with access to the repository can read ${them}. Change ${them} where ${used}, then acknowledge.`
          : `Acknowledged by ${acknowledgedBy}: changed where ${used}.`}
      </p>
      {acknowledgedBy === null && <AcknowledgeSecrets links={links} commit={revision.commit} />}
    </div>
  )
}

/** Ends the alarm about the plain secrets of a commit and of older ones. */
export function AcknowledgeSecrets({ links, commit }: { links: Links; commit: string }) {
  return (
    <form method="post" action={links.acknowledgeSecrets(commit)}>
      <button title="The secrets of this revision and of older ones were changed where they are used">
        Acknowledge
      </button>
    </form>
  )
}

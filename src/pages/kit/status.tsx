/** The shape and colour of a status, which is always shown with its word. */
const LOOKS: ReadonlyMap<string, string> = new Map([
  ['Idle', 'good'],
  ['Passed', 'good'],
  ['Building', 'busy'],
  ['Building (Cancelled)', 'waiting'],
  ['Failing', 'failed'],
  ['Failed', 'failed'],
  ['LostContact', 'failed'],
  ['Pending', 'waiting'],
  ['Missing', 'waiting'],
  ['Scheduled', 'waiting'],
  ['Waiting', 'waiting'],
  ['Rescheduled', 'off'],
  ['Cancelled', 'off'],
  ['Disabled', 'off'],
  ['Unknown', 'off'],
])

/** A status as a dot, a square or a ring, with its word. */
export function Status({ status, word = statusWord(status) }: { status: string; word?: string }) {
  const look = lookOf(status)
  return (
    <span class={`status ${look}`}>
      <span class="shape" aria-hidden="true" />
      {word}
    </span>
  )
}

/** The word of a status for people. */
export function statusWord(status: string): string {
  return status === 'LostContact' ? 'Lost contact' : status
}

export function lookOf(status: string): string {
  return LOOKS.get(status) ?? 'busy'
}

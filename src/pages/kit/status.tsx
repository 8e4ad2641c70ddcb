import type { Child } from 'hono/jsx'

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

/** A thing beside others of its kind, with its status. */
export interface Chip {
  readonly name: string
  /** Null for what has no page yet. */
  readonly href: string | null
  readonly status?: string
  /** Whether the page is about it. */
  readonly isCurrent?: boolean
}

/** Things in a row, such as the stages of a run. */
export function Chips({ chips, children }: { chips: readonly Chip[]; children?: Child }) {
  return (
    <ol class="chips">
      {chips.map((chip) => (
        <li>
          <ChipContent {...chip} />
        </li>
      ))}
      {children}
    </ol>
  )
}

function ChipContent({ name, href, status, isCurrent = false }: Chip) {
  if (href === null) {
    return (
      <span class="chip to-come">
        <span class="chip-name">{name}</span> <span class="muted">not run</span>
      </span>
    )
  }
  return (
    <a class="chip" href={href} aria-current={isCurrent ? 'true' : undefined}>
      <span class="chip-name">{name}</span> {status !== undefined && <Status status={status} />}
    </a>
  )
}

import type { Child } from 'hono/jsx'
import { Status } from './status.tsx'

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

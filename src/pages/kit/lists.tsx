import type { Child } from 'hono/jsx'
import { NEWS } from './notice.tsx'

interface SeparatedProps<Item> {
  readonly items: readonly Item[]
  /** Stands between each two. */
  readonly by?: Child
  /** Renders an item. */
  readonly of: (item: Item) => Child
}

/** Things in a row, such as links in a sentence. */
export function Separated<Item>({ items, by = ', ', of }: SeparatedProps<Item>) {
  return (
    <>
      {items.map((item, n) => (
        <>
          {n > 0 && by}
          {of(item)}
        </>
      ))}
    </>
  )
}

interface FirstOfProps<Item> {
  readonly items: readonly Item[]
  readonly most: number
  /** Renders an item. */
  readonly of: (item: Item) => Child
  /** The class of the list; bullets without. */
  readonly class?: string
  /** The last line where there are more items than are shown. */
  readonly more?: (left: number) => Child
}

/** The first of many things, one a line, and how many there are besides; nothing for none. */
export function FirstOf<Item>(props: FirstOfProps<Item>) {
  const { items, most, of, more = moreOf } = props
  const left = items.length - most
  if (items.length === 0) return <></>
  return (
    <ul class={props.class ?? 'bullets'}>
      {items.slice(0, most).map((item) => (
        <li>{of(item)}</li>
      ))}
      {left > 0 && <li class="muted">{more(left)}</li>}
    </ul>
  )
}

/** `3 more`: what a list leaves out. */
export function moreOf(left: number): string {
  return `${left.toLocaleString('en')} more`
}

/** `docker, linux and 3 more`. */
export function someOf(names: readonly string[], most: number): string {
  const left = names.length - most
  const first = names.slice(0, most).join(', ')
  return left > 0 ? `${first} and ${moreOf(left)}` : first
}

/** A problem at a line of a text, where it has one. */
interface PlacedProblem {
  readonly line?: number | undefined
  readonly column?: number | undefined
  readonly message: string
}

/** `Line 7: the attribute is required`. */
export function problemText({ line, column, message }: PlacedProblem): string {
  if (line === undefined) return message
  return column === undefined
    ? `Line ${line}: ${message}`
    : `Line ${line}, column ${column}: ${message}`
}

interface ProblemListProps<Found extends PlacedProblem> {
  readonly title: string
  readonly problems: readonly Found[]
  readonly of?: (problem: Found) => Child
  /** Whether the problems are news for who has just sent a form. */
  readonly isAlert?: boolean
}

/** More problems are counted alone. */
const MAX_PROBLEMS = 50

/** The problems that keep a text or a form from being accepted; nothing where there are none. */
export function ProblemList<Found extends PlacedProblem>(props: ProblemListProps<Found>) {
  const { title, problems, of = problemText, isAlert = false } = props
  if (problems.length === 0) return <></>
  return (
    <section class="card bad problems" {...(isAlert ? { ...NEWS, role: 'alert' } : {})}>
      <h2>{title}</h2>
      <FirstOf items={problems} most={MAX_PROBLEMS} of={of} />
    </section>
  )
}

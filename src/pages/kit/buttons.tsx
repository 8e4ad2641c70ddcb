import type { Child } from 'hono/jsx'
import { Icon, type IconName } from './icon.tsx'

type ButtonLook = 'primary' | 'danger' | 'quiet'

interface LinkButtonProps {
  readonly href: string
  readonly label: Child
  readonly icon?: IconName
  readonly look?: ButtonLook | undefined
  /** The name for screen readers, where the label stands beside what it is about. */
  readonly hint?: string
  /** The key that follows the link. */
  readonly shortcut?: string | undefined
  readonly rel?: 'prev' | 'next'
  readonly title?: string
  /** The name of the file to save, or true for that of the address. */
  readonly download?: string | true
}

/** A link to another page that looks like a button. */
export function LinkButton({ label, icon, look, hint, shortcut, ...link }: LinkButtonProps) {
  return (
    <a class={classOf('button', look)} {...link} aria-label={hint} aria-keyshortcuts={shortcut}>
      {icon && <Icon name={icon} />}
      {label}
    </a>
  )
}

/** The link to the form of what the reader may propose to change, where that of those who may save it says "Edit". */
export const PROPOSE_CHANGE = { label: 'Propose a change', icon: 'pencil', shortcut: 'e' } as const

/** The key of the button that saves what a page edits, or leads on to that. */
export const SAVE = 'Control+S'

interface ActionButtonProps {
  /** The field that tells the buttons of a form apart. */
  readonly name?: string
  readonly value: string
  readonly label: Child
  readonly icon?: IconName
  readonly look?: ButtonLook | undefined
  /** The name for screen readers, where the label stands beside what it is about. */
  readonly hint?: string
  /** The key that presses it. */
  readonly shortcut?: string | undefined
}

/** A button that sends its form with the action to take. */
export function ActionButton(props: ActionButtonProps) {
  const { name = 'action', value, label, icon, look, hint, shortcut } = props
  return (
    <button class={look} name={name} value={value} aria-label={hint} aria-keyshortcuts={shortcut}>
      {icon && <Icon name={icon} />}
      {label}
    </button>
  )
}

interface EnterButtonProps {
  /** The form, where it stands outside of it. */
  readonly form?: string
  /** The action; absent in a form that tells its buttons apart otherwise. */
  readonly value?: string
}

/** The button that Enter presses in a field, where another would come first; it stands before all of them. */
export function EnterButton({ form, value }: EnterButtonProps) {
  const action = value === undefined ? {} : { name: 'action', value }
  return (
    <button class="visually-hidden" form={form} {...action} tabindex={-1} aria-hidden="true">
      Enter
    </button>
  )
}

interface LinkChoiceProps {
  /** The name of the group, for screen readers. */
  readonly label: string
  /** A class of windows that show it. */
  readonly only?: string
  readonly options: readonly (readonly [label: string, href: string, isChosen: boolean])[]
}

/** One of several ways to show a page, each of them an address. */
export function LinkChoice({ label, only = '', options }: LinkChoiceProps) {
  return (
    <nav class={classOf('choice', only)} aria-label={label}>
      {options.map(([text, href, isChosen]) => (
        <a href={href} aria-current={isChosen ? 'true' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  )
}

function classOf(name: string, more = ''): string {
  return more === '' ? name : `${name} ${more}`
}

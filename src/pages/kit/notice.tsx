import type { Child } from 'hono/jsx'
import { Icon, type IconName } from './icon.tsx'

/** The result of an action, shown above the page on which it was requested. */
export interface FlashMessage {
  readonly isDone: boolean
  readonly text: string
}

/** Takes the focus when the page opens, so that a screen reader begins with the result of the action. */
export const NEWS = { role: 'status', tabindex: -1, autofocus: true } as const

export function FlashCard({ flash, children }: { flash: FlashMessage; children?: Child }) {
  return (
    <div class={`card flash ${flash.isDone ? 'done' : 'refused'}`} {...NEWS}>
      <p>
        <Icon name={flash.isDone ? 'check' : 'alert'} />
        <strong>{flash.isDone ? ' Done: ' : ' Not done: '}</strong>
        {flash.text}
      </p>
      {children}
    </div>
  )
}

interface NoticeCardProps {
  readonly look?: 'stale' | 'bad'
  readonly role?: 'status' | 'alert'
  /** Null where there is nothing to say. */
  readonly children: Child | null
}

/** A sentence above the content of a page. */
export function NoticeCard({ look = 'stale', role = 'status', children }: NoticeCardProps) {
  if (children === null) return <></>
  return (
    <p class={`card ${look}`} {...(role === 'alert' ? NEWS : {})} role={role}>
      {children}
    </p>
  )
}

interface ShownOnceProps {
  readonly done: string
  /** Advice about the secret. */
  readonly about: Child
  /** The secret, such as a new password, which is not shown again; null for none. */
  readonly secret: string | null
}

/** The result of an action that yields a secret. */
export function ShownOnce({ done, about, secret }: ShownOnceProps) {
  return (
    <div class="card flash done" {...NEWS}>
      <p>
        <strong>{done}</strong> {secret !== null && about}
      </p>
      {secret !== null && (
        <div class="row">
          <pre class="code" tabindex={0}>
            {secret}
          </pre>
          <button type="button" class="copy with-script">
            Copy
          </button>
        </div>
      )}
    </div>
  )
}

/** Stands in place of a list without entries. */
export function EmptyCard({
  title,
  icon = 'inbox',
  part,
  children,
}: {
  readonly title: string
  readonly icon?: IconName
  /** The name of the part on a page that updates itself. */
  readonly part?: string
  readonly children: Child
}) {
  return (
    <section class="card" data-part={part}>
      <h2>
        <Icon name={icon} />
        {` ${title}`}
      </h2>
      <p>{children}</p>
    </section>
  )
}

import type { Child } from 'hono/jsx'

/** What an action has come to, above the page that it was asked on. */
export interface FlashMessage {
  readonly isDone: boolean
  readonly text: string
}

export function NoticeCard({ told, children }: { told: FlashMessage; children?: Child }) {
  return (
    <div class={`card told ${told.isDone ? 'done' : 'refused'}`} role="status">
      <p>
        <strong>{told.isDone ? 'Done: ' : 'Not done: '}</strong>
        {told.text}
      </p>
      {children}
    </div>
  )
}

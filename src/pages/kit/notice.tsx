import type { Child } from 'hono/jsx'

/** The result of an action, shown above the page on which it was requested. */
export interface FlashMessage {
  readonly isDone: boolean
  readonly text: string
}

export function FlashCard({ flash, children }: { flash: FlashMessage; children?: Child }) {
  return (
    <div class={`card flash ${flash.isDone ? 'done' : 'refused'}`} role="status">
      <p>
        <strong>{flash.isDone ? 'Done: ' : 'Not done: '}</strong>
        {flash.text}
      </p>
      {children}
    </div>
  )
}

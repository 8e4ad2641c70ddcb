import { findInput } from '../../kit/client/dom.ts'

/** The key of the draft whose save was sent last from this tab. */
const SENT = 'cairn-draft-sent'

/** Names the draft of what a form edits in the storage of this tab. */
export function draftKey(form: HTMLFormElement): string {
  return `cairn-draft ${findInput('[name=entity]', form)?.value ?? ''}`
}

/** Forgets a draft once the page that answers its save says that it is saved. */
export function forgetSavedDraft(): void {
  const sent = sessionStorage.getItem(SENT)
  sessionStorage.removeItem(SENT)
  if (sent !== null && document.querySelector('.flash.done')) sessionStorage.removeItem(sent)
  const form = document.querySelector<HTMLFormElement>('form.edit')
  form?.addEventListener('submit', ({ submitter }) => {
    if (submitter instanceof HTMLButtonElement && submitter.value === 'save') {
      sessionStorage.setItem(SENT, draftKey(form))
    }
  })
}

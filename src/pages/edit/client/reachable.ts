const UNREACHABLE =
  'The server cannot be reached, so nothing was sent. What you typed is still here: try again later.'

/**
 * Sends a form only to a server that answers: a browser that finds none would put its own page in
 * the place of what was typed.
 */
export function sendWhenReachable(form: HTMLFormElement, prepare: () => void): void {
  let isReached = false
  form.addEventListener('submit', (event) => {
    if (isReached) return prepare()
    event.preventDefault()
    isReachable(form).then((answers) => {
      tell(answers ? '' : UNREACHABLE)
      isReached = answers
      if (answers) form.requestSubmit(event.submitter)
    }, reportError)
  })
  // A page that is come back to asks again.
  addEventListener('pageshow', () => {
    isReached = false
  })
}

async function isReachable(form: HTMLFormElement): Promise<boolean> {
  try {
    await fetch(form.dataset['alive'] ?? '', { cache: 'no-store' })
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

function tell(text: string): void {
  const place = document.querySelector('#draft')
  if (place) place.textContent = text
}

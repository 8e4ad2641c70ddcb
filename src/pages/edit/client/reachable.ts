const UNREACHABLE =
  'The server cannot be reached, so nothing was sent. What you typed is still here: try again later.'

/**
 * Submits a form only when the server answers: otherwise the browser's own error page would replace
 * the typed text.
 */
export function sendWhenReachable(form: HTMLFormElement, prepare: () => void): void {
  let isReached = false
  form.addEventListener('submit', (event) => {
    if (isReached) return prepare()
    event.preventDefault()
    isReachable(form).then((answers) => {
      isReached = answers
      if (answers) form.requestSubmit(event.submitter)
      else sayUnreachable()
    }, reportError)
  })
  // A page that the browser restores starts over.
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

function sayUnreachable(): void {
  const place = document.querySelector('#draft')
  if (place) place.textContent = UNREACHABLE
}

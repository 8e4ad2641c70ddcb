/** The colour sets for differences. */
export type Colours = 'green-red' | 'blue-orange'

const COOKIE = 'cairn-colours'
const A_YEAR = 31_536_000

export function coloursOf(request: Request): Colours {
  const cookies = (request.headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim())
  return cookies.includes(`${COOKIE}=blue-orange`) ? 'blue-orange' : 'green-red'
}

export function coloursCookie(colours: Colours, path: string): string {
  return `${COOKIE}=${colours}; Path=${path}; Max-Age=${A_YEAR}; SameSite=Lax; HttpOnly`
}

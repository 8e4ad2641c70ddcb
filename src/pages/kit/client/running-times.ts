import { find, findAll } from './dom.ts'

/** The difference to the server's clock, whose time is part of the page. */
const skew = Number(find('[data-live]')?.dataset['now']) - Date.now()

function duration(time: number): string {
  const seconds = Math.floor(Math.max(0, time) / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes === 0) return `${seconds} s`
  if (minutes < 10) return `${minutes} min ${seconds % 60} s`
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Updates every running time and every countdown on the page. */
export function updateTimes(): void {
  const now = Date.now() + skew
  for (const place of findAll('[data-since]')) {
    place.textContent = duration(now - Number(place.dataset['since']))
  }
  for (const place of findAll('[data-until]')) {
    const left = Math.ceil((Number(place.dataset['until']) - now) / 1000)
    place.textContent = left > 0 ? `: ${left} s left` : ''
  }
}

export function keepTimes(): void {
  setInterval(updateTimes, 500)
}

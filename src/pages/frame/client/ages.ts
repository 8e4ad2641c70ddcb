import { findAll } from './dom.ts'

const MINUTE = 60_000

function ago(time: number): string | null {
  const minutes = Math.floor((Date.now() - time) / MINUTE)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ago`
  const days = Math.floor(minutes / 1440)
  if (days === 1) return 'yesterday'
  return days < 30 ? `${days} days ago` : null
}

/** Updates every age on the page. */
export function updateAges(): void {
  for (const time of findAll<HTMLTimeElement>('time[data-ago]')) {
    const text = ago(Date.parse(time.dateTime))
    if (text !== null && text !== time.textContent) time.textContent = text
  }
}

/** Updates ages now and every minute. */
export function keepAges(): void {
  updateAges()
  setInterval(updateAges, MINUTE)
}

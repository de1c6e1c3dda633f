// The entry of the pages before the dashboard. It loads only what they need.
import { renderApp } from '../render-app.tsx'
import { SignInPage } from './sign-in-page.tsx'

renderApp(<SignInPage />)

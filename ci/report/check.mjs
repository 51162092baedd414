// Opens the report in Debian's Chromium and holds it against what a person expects of a page:
// nothing wider than the window, nothing cut off or empty, links that lead somewhere, nothing
// fetched, nothing serious by axe, in light and dark, on a phone and on a desk. Screenshots stay.
//
//   node check.mjs PAGE OUT               prints a line for each check; exit 1 when one fails
//   node check.mjs PAGE OUT --controls    breaks the page on purpose, once for each check: each
//                                         must fail by that name
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// Packages lie where they were installed, not beside this file.
const require = createRequire(path.join(process.env.REPORT_NPM ?? process.cwd(), 'package.json'));
const puppeteer = require('puppeteer-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [pagePath, out, mode] = process.argv.slice(2);
const widths = [400, 1400];
const schemes = ['light', 'dark'];
let passed = 0, failed = 0, last = Date.now();

function say(name, faults) {
    name += ` (${((Date.now() - last) / 1000).toFixed(1)} s)`;
    last = Date.now();
    if (faults.length === 0) {
        passed++;
        console.log(`ok    ${name}`);
        return;
    }
    failed++;
    console.log(`FAIL  ${name}`);
    for (const fault of faults.slice(0, 8)) console.log(`      ${fault}`);
    if (faults.length > 8) console.log(`      and ${faults.length - 8} more`);
}

// ---- what is asked inside the page -------------------------------------------------------------

const probes = {
    overflow() {
        const root = document.documentElement;
        if (root.scrollWidth <= window.innerWidth) return [];
        const scrolls = (e) => e && (getComputedStyle(e).overflowX !== 'visible' ||
            scrolls(e.parentElement));
        const wide = [...document.querySelectorAll('body *')].filter((e) =>
            e.getBoundingClientRect().right > window.innerWidth + 1 && !scrolls(e.parentElement));
        return [`the page is ${root.scrollWidth} wide in ${window.innerWidth}`,
            ...wide.slice(0, 5).map((e) => `${e.tagName}.${
                e.getAttribute('class')}: ${e.textContent.slice(0, 40)}`)];
    },

    // Text that its own box hides, or that a drawing's edge cuts.
    clipped() {
        const faults = [];
        for (const e of document.querySelectorAll('body *:not(script):not(svg *):not(option)')) {
            if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== '')) continue;
            for (let p = e; p && p !== document.body; p = p.parentElement) {
                const style = getComputedStyle(p);
                const hides = (v) => v === 'hidden' || v === 'clip';
                if (p.clientWidth > 0 && hides(style.overflowX) && p.scrollWidth > p.clientWidth + 1 ||
                    p.clientHeight > 0 && hides(style.overflowY) && p.scrollHeight > p.clientHeight + 1)
                    faults.push(`${p.tagName}.${p.className}: ${e.textContent.trim().slice(0, 50)}`);
                if (style.overflowX === 'auto' || style.overflowX === 'scroll') break;
            }
            // A box of fixed height whose words go past it would be written over.
            const box = e.getBoundingClientRect(), li = e.closest('.words li');
            if (li && box.height > 0 && box.bottom > li.getBoundingClientRect().bottom + 6)
                faults.push(`past its row: ${e.textContent.trim().slice(0, 60)}`);
        }
        for (const t of document.querySelectorAll('svg text')) {
            const box = t.getBoundingClientRect(), edge = t.ownerSVGElement.getBoundingClientRect();
            if (box.width > 0 && (box.left < edge.left - 2 || box.right > edge.right + 2 ||
                box.top < edge.top - 3 || box.bottom > edge.bottom + 3))
                faults.push(`a drawing's edge: ${t.textContent.slice(0, 50)} in #${
                    t.closest('[id]')?.id}`);
        }
        return faults;
    },

    empty() {
        const faults = [];
        for (const s of document.querySelectorAll('section, header.head')) {
            const rest = [...s.children].filter((e) => !e.matches('h2, .lead') && e.offsetHeight > 0);
            if (rest.every((e) => e.textContent.trim() === '' && !e.querySelector('svg')))
                faults.push(`the section ${s.id || s.className} is empty`);
        }
        for (const e of document.querySelectorAll('.card, .group, .in, .scroll, li, dd, p, pre, ol, ul, ' +
            'table, h1, h2, h3, h4, summary'))
            if (!e.ownerSVGElement && e.textContent.trim() === '' && !e.querySelector('svg *'))
                faults.push(`${e.tagName}.${e.className} in ${e.closest('[id]')?.id} is empty`);
        for (const e of document.querySelectorAll('svg'))
            if (e.children.length === 0) faults.push('a drawing is empty');
        return faults;
    },

    links() {
        return [...document.querySelectorAll('a')].filter((a) => {
            const to = a.getAttribute('href');
            return !to || to[0] !== '#' || !document.getElementById(decodeURIComponent(to.slice(1)));
        }).map((a) => `${a.getAttribute('href')}: ${a.textContent.trim()}`);
    },
};

// Rows of one kind are alike but for their words: axe looks at a few of each, all unfolded.
const thin = (page) => page.evaluate(() => {
    for (const [list, item, keep] of [['#regs .group', '.reg', 3], ['.rows', 'li', 6], ['.words', 'li', 30],
        ['.table tbody', 'tr', 12], ['.nl-list', 'li', 12]])
        for (const e of document.querySelectorAll(list))
            [...e.children].filter((c) => c.matches(item)).slice(keep).forEach((c) => c.remove());
});

async function accessible(page) {
    await page.evaluate(axe);
    const result = await page.evaluate(() => window.axe.run(document, {
        resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] }));
    return result.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical').flatMap(
        (v) => v.nodes.slice(0, 3).map((n) => `${v.id}: ${n.html.slice(0, 110)} ${
            n.any[0]?.message?.slice(0, 140) ?? ''}`));
}

// ---- the page in one window --------------------------------------------------------------------

async function open(browser, file, width, scheme, requests) {
    const page = await browser.newPage();
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme },
        { name: 'prefers-reduced-motion', value: 'reduce' }]);
    await page.setViewport({ width, height: width < 600 ? 800 : 900, deviceScaleFactor: 1 });
    page.on('request', (r) => requests?.push(r.url()));
    page.on('pageerror', (e) => requests?.push(`script error: ${e.message}`));
    await page.goto(pathToFileURL(file).href);
    return page;
}

// A picture of a part shows what the window may not: nothing sticks, nothing waits to be scrolled to.
const still = (page) => page.addStyleTag({
    content: '.reg{content-visibility:visible !important}.nav{position:static !important}' });

const unfold = (page) => page.evaluate(() => {
    for (const d of document.querySelectorAll('details')) d.open = true;
});

// Each section by itself: a whole page would be higher than a picture can be.
async function shoot(page, name) {
    for (const part of await page.$$('header.head, section')) {
        const id = await part.evaluate((e) => e.id || 'head');
        const box = await part.boundingBox();
        if (box.height > 0 && box.height < 15000)
            await part.screenshot({ path: path.join(out, `${name}-${id}.png`) });
    }
}

// One regression of each way of drawing, unfolded.
async function shootDrawings(page, name) {
    const ids = await page.evaluate(() => ['.nl-list', '.mesh-box', '#regs .drawing .life', '.words.list']
        .map((s) => document.querySelector(`.reg ${s}, #regs ${s}`)?.closest('.reg')?.id));
    for (const id of ids) {
        if (!id) continue;
        const part = await page.$(`[id="${id}"]`);
        await part.evaluate((e) => { e.open = true; });
        await part.screenshot({ path: path.join(out, `${name}-${id}.png`) });
        await part.evaluate((e) => { e.open = false; });
    }
}

async function checkWindow(browser, file, width, scheme) {
    const name = `${width}-${scheme}`, requests = [];
    const page = await open(browser, file, width, scheme, requests);
    say(`${name} fetches nothing, and its script runs`, requests.slice(1));
    say(`${name} links`, await page.evaluate(probes.links));
    await still(page);
    await shoot(page, name);
    await shootDrawings(page, name);
    for (const folded of [true, false]) {
        if (!folded) await unfold(page);
        const how = folded ? 'folded' : 'unfolded';
        say(`${name} ${how} overflow`, await page.evaluate(probes.overflow));
        say(`${name} ${how} clipped`, await page.evaluate(probes.clipped));
        say(`${name} ${how} empty`, await page.evaluate(probes.empty));
    }
    await thin(page);
    say(`${name} accessible`, await accessible(page));
    await page.close();
}

async function checkScript(browser, file) {
    const page = await open(browser, file, 1400, 'light');
    const faults = await page.evaluate(() => {
        const bad = [];
        for (const f of document.querySelectorAll('form.filter')) {
            const rows = [...document.querySelectorAll(f.dataset.rows)];
            const set = (text) => {
                f.elements.q.value = text;
                f.dispatchEvent(new Event('input'));
                return rows.filter((r) => !r.hidden).length;
            };
            const all = rows.length, one = set(rows[rows.length - 1].textContent.trim().slice(0, 12));
            if (f.hidden || all === 0) bad.push(`${f.dataset.rows}: no filter`);
            if (one === 0 || one > all) bad.push(`${f.dataset.rows}: ${one} of ${all}`);
            if (set('no such word at all') !== 0) bad.push(`${f.dataset.rows}: filters nothing`);
            if (set('') !== all) bad.push(`${f.dataset.rows}: does not come back`);
        }
        return bad;
    });
    say('filters', faults);
    await page.close();
    const plain = await browser.newPage();
    await plain.setJavaScriptEnabled(false);
    await plain.goto(pathToFileURL(file).href);
    const text = await plain.$eval('main', (e) => e.innerText);
    const forms = await plain.$$eval('form.filter', (all) => all.filter((f) => f.offsetHeight > 0).length);
    say('without scripts', text.includes('Regressions') && forms === 0 ? [] : ['something is missing']);
    await plain.close();
}

// ---- negative controls -------------------------------------------------------------------------

const controls = [
    ['overflow', probes.overflow, '<pre style="width:3000px">wide</pre>'],
    ['clipped', probes.clipped, '<div style="width:40px;overflow:hidden;white-space:nowrap">cut off</div>'],
    ['clipped drawing', probes.clipped,
        '<svg width="40" height="20"><text x="10" y="12">much too long a label</text></svg>'],
    ['empty', probes.empty, '<section id="void"><h2>Void</h2><p class="lead">Nothing.</p></section>'],
    ['links', probes.links, '<a href="#nowhere-at-all">dead</a>'],
    ['accessible', null, '<p style="color:#c9c9c9;background:#fff">hardly to be read</p>'],
    ['accessible name', null, '<button></button>'],
];

async function checkControls(browser) {
    const text = fs.readFileSync(pagePath, 'utf8');
    for (const [name, probe, markup] of controls) {
        const file = path.join(out, 'broken.html');
        fs.writeFileSync(file, text.replace('</main>', `${markup}</main>`));
        const page = await open(browser, file, 400, 'light');
        if (!probe) await thin(page);
        const faults = probe ? await page.evaluate(probe) : await accessible(page);
        say(`control: ${name} is seen`, faults.length > 0 ? [] : ['it was not']);
        await page.close();
        fs.unlinkSync(file);
    }
}

const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--disable-dev-shm-usage'],
});
try {
    if (mode === '--controls') {
        await checkControls(browser);
    } else {
        for (const width of widths)
            for (const scheme of schemes) await checkWindow(browser, pagePath, width, scheme);
        await checkScript(browser, pagePath);
    }
} finally {
    await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

#include "CPage.h"
#pragma clang diagnostic ignored "-Wc23-extensions"

// Each file is a C string: no file of the page contains a zero byte.
static const struct page_file files[] = {
    {"api.js", (const unsigned char[]){
#embed "Assets/api.js" suffix(, 0)
    }},
    {"app.css", (const unsigned char[]){
#embed "Assets/app.css" suffix(, 0)
    }},
    {"app.js", (const unsigned char[]){
#embed "Assets/app.js" suffix(, 0)
    }},
    {"choice.js", (const unsigned char[]){
#embed "Assets/choice.js" suffix(, 0)
    }},
    {"detail.js", (const unsigned char[]){
#embed "Assets/detail.js" suffix(, 0)
    }},
    {"dom.js", (const unsigned char[]){
#embed "Assets/dom.js" suffix(, 0)
    }},
    {"drawing.js", (const unsigned char[]){
#embed "Assets/drawing.js" suffix(, 0)
    }},
    {"editor.js", (const unsigned char[]){
#embed "Assets/editor.js" suffix(, 0)
    }},
    {"gateways.js", (const unsigned char[]){
#embed "Assets/gateways.js" suffix(, 0)
    }},
    {"geometry.js", (const unsigned char[]){
#embed "Assets/geometry.js" suffix(, 0)
    }},
    {"history.js", (const unsigned char[]){
#embed "Assets/history.js" suffix(, 0)
    }},
    {"icon.svg", (const unsigned char[]){
#embed "Assets/icon.svg" suffix(, 0)
    }},
    {"index.html", (const unsigned char[]){
#embed "Assets/index.html" suffix(, 0)
    }},
    {"language-de.json", (const unsigned char[]){
#embed "Assets/language-de.json" suffix(, 0)
    }},
    {"language.js", (const unsigned char[]){
#embed "Assets/language.js" suffix(, 0)
    }},
    {"list.js", (const unsigned char[]){
#embed "Assets/list.js" suffix(, 0)
    }},
    {"login.js", (const unsigned char[]){
#embed "Assets/login.js" suffix(, 0)
    }},
    {"manage.js", (const unsigned char[]){
#embed "Assets/manage.js" suffix(, 0)
    }},
    {"manifest.webmanifest", (const unsigned char[]){
#embed "Assets/manifest.webmanifest" suffix(, 0)
    }},
    {"nearby.js", (const unsigned char[]){
#embed "Assets/nearby.js" suffix(, 0)
    }},
    {"now.js", (const unsigned char[]){
#embed "Assets/now.js" suffix(, 0)
    }},
    {"offset.js", (const unsigned char[]){
#embed "Assets/offset.js" suffix(, 0)
    }},
    {"openapi.json", (const unsigned char[]){
#embed "Assets/openapi.json" suffix(, 0)
    }},
    {"order.js", (const unsigned char[]){
#embed "Assets/order.js" suffix(, 0)
    }},
    {"past.js", (const unsigned char[]){
#embed "Assets/past.js" suffix(, 0)
    }},
    {"person.js", (const unsigned char[]){
#embed "Assets/person.js" suffix(, 0)
    }},
    {"pictures.js", (const unsigned char[]){
#embed "Assets/pictures.js" suffix(, 0)
    }},
    {"placement.js", (const unsigned char[]){
#embed "Assets/placement.js" suffix(, 0)
    }},
    {"plan.js", (const unsigned char[]){
#embed "Assets/plan.js" suffix(, 0)
    }},
    {"sheet.js", (const unsigned char[]){
#embed "Assets/sheet.js" suffix(, 0)
    }},
    {"stays.js", (const unsigned char[]){
#embed "Assets/stays.js" suffix(, 0)
    }},
    {"push.js", (const unsigned char[]){
#embed "Assets/push.js" suffix(, 0)
    }},
    {"store.js", (const unsigned char[]){
#embed "Assets/store.js" suffix(, 0)
    }},
    {"text.js", (const unsigned char[]){
#embed "Assets/text.js" suffix(, 0)
    }},
    {"worker.js", (const unsigned char[]){
#embed "Assets/worker.js" suffix(, 0)
    }},
    {"zoom.js", (const unsigned char[]){
#embed "Assets/zoom.js" suffix(, 0)
    }},
    {0, 0},
};

const struct page_file *page_files(void) { return files; }

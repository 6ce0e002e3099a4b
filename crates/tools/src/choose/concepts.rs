//! Words of like meaning: how people ask, against how tools are named; English, and the commonest words of other languages.
//!
//! General words of offices, homes and machines only: no product, no server and no name of a tool stands here. A word may be
//! in several groups. Small on purpose: what is missing costs one `tools.find`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use super::terms::{terms, trigrams};

/// Groups of words; each stands for all others of its group.
#[rustfmt::skip]
const GROUPS: [&str; 118] = [
    // What is done.
    "create add new make open insert register setup erstelle erstellen anlegen neu neue neuen neues creer cree ajouter ajoute nouveau nouvelle crear crea nuevo nueva anadir agregar criar novo nova creare nuovo 创建 新建 添加 作成 追加",
    "delete remove erase drop discard clear purge loschen losche entfernen entferne supprimer supprime effacer borrar borra eliminar elimina apagar cancella eliminare 删除 削除",
    "cancel revoke abort withdraw stornieren storniere absagen annuler annule anular cancelar annulla 取消",
    "update change edit modify alter adjust andere andern bearbeiten aktualisieren modifier changer cambiar cambia modificar actualizar alterar modifica 修改 更新 変更",
    "move rename relocate verschieben verschiebe umbenennen deplacer renommer mover renombrar sposta",
    "reschedule postpone shift push update verschieben verschiebe",
    "list show display see view get enumerate overview zeig zeige zeigen auflisten anzeigen welche montre afficher lister muestra mostrar lista listar mostra quali quais 显示 列出 表示 一覧",
    "read content text open fetch get lies lesen lire lis leer lee ler leggi 读取 読む",
    "search find look query locate lookup suche suchen finde finden such cherche chercher trouve trouver busca buscar encuentra encontrar procurar cerca trova 搜索 查找 検索 探す",
    "send write deliver submit dispatch schick schicke schicken sende senden envoie envoyer envia enviar manda mandar invia 发送 送信 送る",
    "post publish announce share message",
    "tell notify inform message let benachrichtigen informiere sag",
    "reply respond answer antworte antworten repondre reponds responder responde rispondi 回复 返信",
    "start launch run begin execute resume starte starten ausfuhren lance lancer demarrer inicia iniciar ejecutar avvia 启动 运行 起動",
    "stop end halt terminate kill finish quit stopp stoppe beenden beende arrete arreter detener para parar ferma 停止",
    "restart reboot reload rollout neustart neustarten redemarrer reiniciar riavvia 重启 再起動",
    "download save export fetch herunterladen speichern telecharger descargar baixar scarica 下载",
    "upload attach import hochladen televerser subir carica 上传",
    "copy duplicate clone fork kopieren kopiere copier copie copiar copia duplica 复制",
    "convert transform format export umwandeln wandle convertir convertis converter converti 转换 変換",
    "compare difference diff changes vergleiche vergleichen unterschied comparer comparar confronta 比较",
    "count number many total sum aggregate anzahl zahl wieviele combien cuantos cuantas quantos",
    "check verify test validate inspect prufe prufen verifier verifie comprobar verificar controlla 检查 確認",
    "assign responsible owner delegate zuweisen asignar assigner",
    "book reserve reservation booking order buche buchen reservieren reserver reserve reservar reserva prenota 预订 予約",
    "buy purchase order pay checkout kaufen kaufe bestellen acheter commander comprar pedir compra 购买",
    "accept approve confirm decline reject respond zusagen absagen accepter refuser aceptar rechazar",
    "pause mute silence suspend stumm pausieren pausar",
    "restore recover undelete undo revert back wiederherstellen restaurer recuperar restaurar",
    "lock close shut secure abschliessen sperren verrouiller fermer cerrar bloquear 锁",
    "install deploy setup installieren installer instalar desplegar",
    "summarize summary shorten brief digest zusammenfassen zusammenfassung resumer resume resumir resumen riassumi 总结 要約",
    "translate translation language say ubersetze ubersetzen traduire traduis traducir traduce traduzir traduci 翻译 翻訳",
    "log record track note register eintragen protokoll",
    "remind reminder erinnere erinnerung rappelle rappel recuerdame recordatorio lembrete ricordami 提醒",
    "plot graph chart diagram visualize pie bar diagramm graphique grafico grafica 图表",
    "calculate compute math berechne berechnen calculer calcula calcular",
    "draw paint generate picture image illustration zeichne male dessine dibuja desenha disegna",
    "grant access permission right share allow zugriff berechtigung acces permiso accesso",
    "scale replica instance size",
    "measure usage consumption use verbrauch consommation consumo",
    "merge combine join zusammenfuhren fusionner combinar",
    "schedule plan planen plane planifier planear programar",
    "play listen hear spiel spiele abspielen joue jouer ecouter pon reproducir toca escuchar 播放 再生",
    // What it is done to.
    "mail email message inbox letter mailbox nachricht brief posteingang courriel courrier correo mensaje mensagem messaggio posta 邮件 メール",
    "chat channel conversation message thread direct kanal unterhaltung canal conversation conversacion 消息",
    "event meeting appointment calendar call date termin termine besprechung treffen kalender rendez reunion cita reuniones evento calendario agenda compromisso appuntamento riunione 会议 日历 会議 予定",
    "availability free busy available frei verfugbar libre disponible disponibile",
    "issue ticket bug story task problem defect fehler problemes probleme incidencia tarefa 问题 工单",
    "task todo reminder aufgabe aufgaben tache tareas tarea compito 任务",
    "pull request pr merge review",
    "build ci workflow job pipeline run",
    "repository repo project code depot repositorio 仓库",
    "version release tag revision history",
    "file document attachment path datei dateien dokument fichier archivo documento arquivo ficheiro 文件 ファイル",
    "folder directory ordner verzeichnis dossier repertoire carpeta directorio pasta cartella 文件夹 フォルダ",
    "page document note wiki article seite seiten notiz notizen note pagina nota 页面 笔记",
    "website site url link web address webseite lien sitio sito 网站",
    "table spreadsheet sheet row column cell tabelle zeile spalte tableau ligne tabla fila hoja tabela planilha foglio 表格",
    "row line entry record zeile eintrag",
    "database sql query table datenbank abfrage base donnees datos banco dados 数据库",
    "server machine host node instance rechner serveur servidor 服务器",
    "container pod deployment service",
    "log output trace console protokoll ausgabe journal registro 日志",
    "error failure exception crash warning problem fehler absturz erreur panne fallo errore 错误",
    "alert alarm warning notification incident warnung alerte alerta avviso 警报",
    "slow performance latency time longest langsam lent lento 慢",
    "weather forecast temperature rain wetter regen vorhersage meteo pluie temps clima tiempo lluvia tempo chuva pioggia 天气 天気",
    "temperature heating thermostat warm heizung temperatur chauffage calefaccion",
    "place location restaurant shop address nearby ort lieu endroit lugar sitio indirizzo luogo 地点 附近",
    "route direction way drive walk travel weg strecke itineraire chemin ruta camino percorso 路线",
    "flight plane fly airport flug fluge fliegen vol avion vuelo vuelos voo volo 航班",
    "train rail zug bahn tren treno 火车 電車",
    "hotel room stay accommodation zimmer unterkunft chambre habitacion camera 酒店",
    "car vehicle rental mietwagen auto voiture coche carro",
    "music song track playlist album lied musik chanson musique cancion musica canzone 音乐 音楽",
    "volume loud quiet louder lautstarke laut leise fort",
    "light lamp licht lampe lumiere luz luce 灯 電気",
    "door tur porte puerta porta 门",
    "price cost quote rate preis kosten kurs prix cout precio costo prezzo 价格 値段",
    "money amount payment charge funds balance geld zahlung betrag argent paiement dinero pago soldi pagamento 钱",
    "refund money reimburse chargeback erstattung ruckerstattung rembourser remboursement reembolso rimborso 退款",
    "invoice bill receipt rechnung rechnungen facture facturas factura fatura fattura 发票 請求",
    "coupon discount voucher sale gutschein rabatt remise descuento sconto",
    "stock share market ticker symbol aktie aktien borse bourse accion acciones azione 股票 株価",
    "currency exchange money euro dollar franc pound wahrung wechselkurs devise moneda divisa cambio valuta 汇率",
    "customer client contact person people kunde kunden kontakt client cliente contacto contatto 客户",
    "deal opportunity sale lead pipeline",
    "image picture photo screenshot snapshot camera bild foto image photo imagen foto immagine 图片 写真",
    "audio recording voice speech sound interview aufnahme enregistrement grabacion",
    "time clock hour date uhr uhrzeit heure hora ora 时间 時間",
    "user member person profile people account benutzer utilisateur usuario utente 用户",
    "status state done finished open closed progress transition workflow pending",
    "invitation invite rsvp attend attendee guest organiser organizer decline einladung invitation invitacion invito",
    "calendar event day monday tuesday wednesday thursday friday saturday sunday morning afternoon evening montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miercoles jueves viernes sabado domingo",
    "weather hot cold umbrella snow wind storm sunny cloudy freezing humid schnee sturm neige nieve",
    "temperature degrees celsius fahrenheit grad degres grados",
    "walk foot pedestrian fuss pied pie",
    "expire vanish retention lifecycle old stale age",
    "duplicate twice double same repeated doppelt doble",
    "earnings quarterly results financial income revenue profit",
    "status delay late punctual time schedule verspatung puntlich retard retraso",
    "password key token secret credential passwort contrasena",
    "open navigate visit go website",
    "fill enter input type form field",
    "press tap click button",
    "find grep usage occurrence reference call",
    "size big small large wide tall width height resize half gross grosse taille tamano",
    "emoji reaction thumbs like smile heart",
    "speed faster fast optimize improve performance",
    "space disk storage full cleanup clean prune free speicherplatz",
    "power energy electricity kwh consumption strom electricite electricidad",
    "history discussed happened past earlier previous since verlauf historique historial",
    "member access see who permission share",
    "time hours spent worklog track",
    "failed red broken failing fail",
    "pdf document export print",
    "eat food dinner lunch restaurant essen manger comer cena",
];

/// How like a word's shape must be to one of a group to stand for it.
const LIKENESS_MIN: f64 = 0.66;
/// Characters of the shortest word that is looked for by its shape.
const SHAPE_CHARS_MIN: usize = 6;

/// The groups, by the stems of their words.
struct Concepts {
    like: BTreeMap<String, BTreeSet<String>>,
    shapes: BTreeMap<String, BTreeSet<[char; 3]>>,
}

static CONCEPTS: LazyLock<Concepts> = LazyLock::new(|| {
    let mut like: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for group in GROUPS {
        let stems: BTreeSet<String> = terms(group).into_iter().collect();
        for stem in &stems {
            let others = stems.iter().filter(|other| *other != stem).cloned();
            like.entry(stem.clone()).or_default().extend(others);
        }
    }
    let shapes = like.keys().map(|stem| (stem.clone(), trigrams(stem))).collect();
    Concepts { like, shapes }
});

/// Stems of like meaning.
pub(super) fn like(stem: &str) -> impl Iterator<Item = &'static str> {
    CONCEPTS.like.get(stem).into_iter().flatten().map(String::as_str)
}

/// The stem of a group that a word looks most like, where that is close enough: another form of it, or a misspelt one.
pub(super) fn nearest(stem: &str) -> Option<&'static str> {
    if stem.chars().count() < SHAPE_CHARS_MIN {
        return None;
    }
    let shape = trigrams(stem);
    let likeness = |other: &BTreeSet<[char; 3]>| {
        let shared = shape.intersection(other).count();
        2.0 * super::number::float(shared) / super::number::float(shape.len() + other.len())
    };
    let near = CONCEPTS.shapes.iter().map(|(known, other)| (known, likeness(other)));
    let near = near.filter(|(_, likeness)| *likeness >= LIKENESS_MIN);
    near.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(known, _)| known.as_str())
}

#[cfg(test)]
mod tests {
    use super::{like, nearest};

    #[test]
    fn words_stand_for_those_of_their_group() {
        assert!(like("appoint").any(|stem| stem == "calendar"));
        assert!(like("wetter").any(|stem| stem == "forecast"));
        assert_eq!(like("xylophon").count(), 0);
    }

    #[test]
    fn another_form_of_a_word_is_near_it() {
        assert_eq!(nearest("besprechungen"), Some("besprechung"));
        assert_eq!(nearest("qqqqqqqq"), None);
    }
}
